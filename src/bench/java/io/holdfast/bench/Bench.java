package io.holdfast.bench;

import java.nio.file.Path;
import java.util.List;

/// Measures the service against a bare endpoint of the same process, and against itself. Ends with
/// 0 if all that is asked for is met, with 1 if not.
final class Bench {
  private Bench() {}

  public static void main(String[] arguments) {
    var given = List.of(arguments);
    var plan = given.contains("quick") ? Plan.quick() : Plan.full();
    System.exit(run(plan, given.contains("crowd")) ? 0 : 1);
  }

  /// @param isCrowdOnly leaves out everything but the part with many live holds
  private static boolean run(Plan plan, boolean isCrowdOnly) {
    Progress.say("starting a service of our own");
    var demands = new Demands();
    var results = isCrowdOnly ? new Results() : measure(plan, demands);
    if (plan.crowd() > 0) {
      demands.ofCrowd(new CrowdPart(plan).run(), plan.crowd());
    }
    var report = new Report(results, demands.all());
    report.print();
    report.write(
        Path.of(System.getProperty("holdfast.project", "")).resolve("build/bench/report.md"));
    return demands.areMet();
  }

  /// Memory comes first, as long as nothing else comes or goes in Redis.
  private static Results measure(Plan plan, Demands demands) {
    try (var stage = SpeedPart.stage()) {
      stage.addPool();
      var raw = stage.rawHolds();
      var bytes = MemoryPart.bytesAHold(stage, raw);
      Progress.say("a live hold takes up %.0f bytes of Redis", bytes);
      var results = new SpeedPart(stage, raw, plan).run();
      demands.ofSpeed(results);
      demands.ofMemory(bytes);
      return results;
    }
  }
}
