package io.holdfast.bench;

import java.nio.file.Path;
import java.util.List;

/// Measures the service against a bare endpoint of the same process, against plain clients of its
/// Postgres, and against itself. Ends with 0 if all that is asked for is met, with 1 if not.
final class Bench {
  private final Plan plan;
  private final Demands demands = new Demands();
  private final Results results = new Results();

  private Bench(Plan plan) {
    this.plan = plan;
  }

  public static void main(String[] arguments) {
    var given = List.of(arguments);
    var bench = new Bench(given.contains("quick") ? Plan.quick() : Plan.full());
    Progress.say("starting a service of our own");
    if (given.contains("crowd")) {
      bench.crowd();
    } else if (given.contains("sales")) {
      bench.sales();
    } else {
      bench.holds();
      bench.sales();
      bench.crowd();
    }
    System.exit(bench.report() ? 0 : 1);
  }

  /// Memory comes first, as long as nothing else comes or goes in Redis.
  private void holds() {
    try (var stage = SpeedPart.stage()) {
      stage.addPool();
      var raw = stage.rawHolds();
      var bytes = MemoryPart.bytesAHold(stage, raw);
      Progress.say("a live hold takes up %.0f bytes of Redis", bytes);
      var speeds = new SpeedPart(stage, raw, plan).run();
      demands.ofSpeed(speeds);
      demands.ofMemory(bytes);
      results.addRound(speeds);
    }
  }

  private void sales() {
    var sold = SalePart.run(plan);
    demands.ofSales(sold);
    results.addRound(sold.results());
    if (plan.ledger() > 0) {
      demands.ofLedger(new LedgerPart(plan).run(), plan.ledger());
    }
  }

  private void crowd() {
    if (plan.crowd() > 0) {
      demands.ofCrowd(new CrowdPart(plan).run(), plan.crowd());
    }
  }

  private boolean report() {
    var report = new Report(results, demands.all());
    report.print();
    report.write(
        Path.of(System.getProperty("holdfast.project", "")).resolve("build/bench/report.md"));
    return demands.areMet();
  }
}
