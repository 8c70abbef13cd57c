package io.holdfast.bench;

import io.holdfast.load.Requests;
import io.holdfast.onsale.OnSale;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Measures the service against a bare endpoint of the same process, against plain clients of its
/// Postgres, and against itself. Ends with 0 if all that is asked for is met, with 1 if not.
final class Bench {
  private static final String QUICK = "quick";

  private static final long ONSALE_SEED = 1;

  private static final String BEST = "best";
  private static final String MEMORY = "memory";

  /// A run of all parts leaves this part out, because `holds` measures the same.
  private static final Set<String> PARTS_OF_HOLDS = Set.of(BEST, MEMORY);

  private final Plan plan;
  private final Demands demands = new Demands();
  private final Results results = new Results();
  private final List<String> more = new ArrayList<>();

  private Bench(Plan plan) {
    this.plan = plan;
  }

  /// @param arguments `quick` for a short run, and the parts to measure; without parts all of them
  public static void main(String[] arguments) {
    var words = List.of(arguments);
    var isQuick = words.contains(QUICK);
    var parts = words.stream().filter(word -> !word.equals(QUICK)).toList();
    var bench = new Bench(isQuick ? Plan.quick() : Plan.full());
    var known = bench.parts();
    if (!known.keySet().containsAll(parts)) {
      System.err.printf("Unknown part in %s; there are %s, and %s%n", words, known.keySet(), QUICK);
      System.exit(2);
    }
    Progress.say("starting a service of our own");
    known.forEach(
        (name, part) -> {
          if (parts.contains(name) || parts.isEmpty() && !PARTS_OF_HOLDS.contains(name)) {
            part.run();
          }
        });
    System.exit(bench.report() ? 0 : 1);
  }

  private Map<String, Runnable> parts() {
    var parts = new LinkedHashMap<String, Runnable>();
    parts.put("holds", this::holds);
    parts.put(BEST, this::best);
    parts.put(MEMORY, this::memory);
    parts.put("overload", this::overload);
    parts.put("sales", this::sales);
    parts.put("checkouts", this::checkouts);
    parts.put("kinds", this::kinds);
    parts.put("queues", this::queues);
    parts.put("onsale", this::onSale);
    parts.put("crowd", this::crowd);
    parts.put("webhooks", this::webhooks);
    parts.put("start", this::starts);
    return parts;
  }

  /// Memory is measured first, while nothing else changes in Redis.
  private void holds() {
    try (var stage = SpeedPart.stage()) {
      stage.addPool();
      var raw = stage.rawHolds();
      memory(stage, raw);
      var speeds = new SpeedPart(stage, raw, plan).run();
      demands.ofSpeed(speeds);
      results.addRound(speeds);
    }
  }

  private void memory() {
    try (var stage = SpeedPart.stage()) {
      stage.addPool();
      memory(stage, stage.rawHolds());
    }
  }

  private void memory(Stage stage, Requests raw) {
    var bytes = MemoryPart.bytesAHold(stage, raw);
    Progress.say("a live hold takes up %.0f bytes of Redis", bytes);
    demands.ofMemory(bytes);
  }

  private void overload() {
    var overload = OverloadPart.run(plan);
    demands.ofOverload(overload);
    more.addAll(overload.lines());
  }

  private void best() {
    var speeds = BestPart.run(plan);
    demands.ofBest(speeds);
    results.addRound(speeds);
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

  private void kinds() {
    var measured = KindsPart.run(plan);
    demands.ofKinds(measured);
    results.addRound(measured);
    more.add(KindsPart.reservationConfirms(measured));
  }

  private void queues() {
    var measured = QueuePart.run(plan);
    demands.ofQueues(measured);
    results.addRound(measured);
    more.add(QueuePart.raises(measured));
  }

  private void onSale() {
    Progress.say("an on-sale of 2,000 seats to 20,000 people");
    var report = OnSale.full(ONSALE_SEED);
    demands.ofOnSale(report);
    more.addAll(List.of("```", report.toString().strip(), "```"));
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
    var report = new Report(results, more, demands.all());
    report.print();
    report.write(
        Path.of(System.getProperty("holdfast.test.project", "")).resolve("build/bench/report.md"));
    return demands.areMet();
  }
}
