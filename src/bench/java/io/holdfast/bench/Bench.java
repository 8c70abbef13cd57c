package io.holdfast.bench;

import java.nio.file.Path;
import java.util.List;

/// Measures the service against a bare endpoint of the same process, against plain clients of its
/// Postgres, and against itself. Ends with 0 if all that is asked for is met, with 1 if not.
final class Bench {
  private final Plan plan;
  private final Demands demands = new Demands();
  private final Results results = new Results();
  private List<String> comparison = List.of();

  private Bench(Plan plan) {
    this.plan = plan;
  }

  public static void main(String[] arguments) {
    var given = List.of(arguments);
    var bench = new Bench(given.contains("quick") ? Plan.quick() : Plan.full());
    Progress.say("starting a service of our own");
    if (given.contains("holds")) {
      bench.holds();
    } else if (given.contains("crowd")) {
      bench.crowd();
    } else if (given.contains("best")) {
      bench.best();
    } else if (given.contains("intent")) {
      bench.intent();
    } else if (given.contains("sales")) {
      bench.sales();
    } else if (given.contains("checkouts")) {
      bench.checkouts();
    } else if (given.contains("webhooks")) {
      bench.webhooks();
    } else if (given.contains("start")) {
      bench.starts();
    } else {
      bench.holds();
      bench.intent();
      bench.sales();
      bench.checkouts();
      bench.crowd();
      bench.webhooks();
      bench.starts();
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

  private void best() {
    var speeds = BestPart.run(plan);
    demands.ofBest(speeds);
    results.addRound(speeds);
  }

  private void intent() {
    var compared = new IntentPart(plan).run();
    demands.ofIntent(compared);
    comparison = Report.comparison(compared);
  }

  private void sales() {
    var sold = SalePart.run(plan);
    demands.ofSales(sold);
    results.addRound(sold.results());
    if (plan.ledger() > 0) {
      demands.ofLedger(new LedgerPart(plan).run(), plan.ledger());
    }
  }

  private void checkouts() {
    var done = CheckoutPart.run(plan);
    demands.ofCheckouts(done);
    results.addRound(done.results());
  }

  private void crowd() {
    if (plan.crowd() > 0) {
      demands.ofCrowd(new CrowdPart(plan).run(), plan.crowd());
    }
  }

  private void webhooks() {
    demands.ofWebhooks(new WebhookPart(plan).run());
  }

  private void starts() {
    demands.ofStarts(new StartPart(plan).run());
  }

  private boolean report() {
    var report = new Report(results, comparison, demands.all());
    report.print();
    report.write(
        Path.of(System.getProperty("holdfast.project", "")).resolve("build/bench/report.md"));
    return demands.areMet();
  }
}
