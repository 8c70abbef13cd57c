package io.holdfast.bench;

import io.holdfast.load.Seats;
import java.util.stream.Stream;

/// Measures the speed of sales after many others against that after few, on two warm services in
/// turns.
final class LedgerPart {
  static final long FEW = 10_000;
  private static final int POOL_ITEMS = 99_000;

  private final Plan plan;
  private final Measured[] few;
  private final Measured[] many;

  LedgerPart(Plan plan) {
    this.plan = plan;
    this.few = new Measured[plan.ledgerRounds()];
    this.many = new Measured[plan.ledgerRounds()];
  }

  /// The ratio of the speed after many sales to that after few, for each round.
  double[] run() {
    try (var full = stage(plan.ledger());
        var calm = stage(FEW)) {
      SalePart.warmUp(full);
      SalePart.warmUp(calm);
      for (int round = 0; round < plan.ledgerRounds(); round++) {
        round(full, calm, round);
      }
    }
    return Statistics.ratios(speeds(many), speeds(few));
  }

  /// The order alternates, because the second service runs after the load of the first.
  private void round(Stage full, Stage calm, int round) {
    if (round % 2 == 0) {
      few[round] = SalePart.sell(calm, plan);
      many[round] = SalePart.sell(full, plan);
    } else {
      many[round] = SalePart.sell(full, plan);
      few[round] = SalePart.sell(calm, plan);
    }
    Progress.say(
        "round %d: %s behind %,d, %s behind %,d",
        round + 1, told(few[round]), FEW, told(many[round]), plan.ledger());
  }

  private static String told(Measured turn) {
    return "%.0f sales/s at %.0f µs of Postgres".formatted(turn.perSecond(), turn.postgresMicros());
  }

  private static double[] speeds(Measured[] turns) {
    return Stream.of(turns).mapToDouble(Measured::perSecond).toArray();
  }

  private static Stage stage(long sales) {
    var stage = Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS);
    OldSales.fill(stage.database(), sales);
    Progress.say("a service with %,d sales behind it", sales);
    return stage;
  }
}
