package io.holdfast.bench;

import io.holdfast.load.Seats;
import java.util.stream.Stream;

/// The speed of sales behind many others against that behind few: two services at once, by turns,
/// both warm.
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

  /// The speed behind many sales by that behind few, a ratio for each round.
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

  /// Who comes second has the first one's turn behind it, so they change places.
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
