package io.holdfast.bench;

import io.holdfast.load.Seats;
import java.util.stream.Stream;

/// The speed of holds on a full service against that on a nearly empty one: two services at once,
/// by turns. Both are warm, and neither has anything left to drain or to let lapse from being
/// filled. A pool takes 100,000 items, so that a million holds and room for more need over ten.
final class CrowdPart {
  static final int POOLS = 14;
  static final long FEW = 1_000;
  private static final int CONNECTIONS = Plan.CONNECTIONS.getFirst();
  private static final int WARM_UP_TURNS = 5;
  private static final long HOLDS_A_TURN_MAX = 35_000;

  private final Plan plan;
  private final Measured[] few;
  private final Measured[] many;

  CrowdPart(Plan plan) {
    this.plan = plan;
    this.few = new Measured[plan.crowdRounds()];
    this.many = new Measured[plan.crowdRounds()];
  }

  /// The ratio of the speed with many live holds to that with few, for each round.
  double[] run() {
    try (var full = stage(plan.crowd());
        var calm = stage(FEW)) {
      Crowd.fill(full, plan.crowd());
      Crowd.fill(calm, FEW);
      Crowd.settle(full);
      Crowd.settle(calm);
      Progress.say("both are at rest");
      warmUp(full);
      warmUp(calm);
      for (int round = 0; round < plan.crowdRounds(); round++) {
        round(full, calm, round);
      }
    }
    return Statistics.ratios(speeds(many), speeds(few));
  }

  /// The order alternates, because the second service runs after the load of the first.
  private void round(Stage full, Stage calm, int round) {
    if (round % 2 == 0) {
      few[round] = turn(calm);
      many[round] = turn(full);
    } else {
      many[round] = turn(full);
      few[round] = turn(calm);
    }
    Progress.say(
        "round %d: %s beside %,d live ones, %s beside %,d",
        round + 1, told(few[round]), FEW, told(many[round]), plan.crowd());
  }

  private static String told(Measured turn) {
    return "%.0f holds/s at %.0f µs of Redis".formatted(turn.perSecond(), turn.redisMicros());
  }

  private static double[] speeds(Measured[] turns) {
    return Stream.of(turns).mapToDouble(Measured::perSecond).toArray();
  }

  private Stage stage(long live) {
    var turns = plan.crowdRounds() + WARM_UP_TURNS;
    var stage = Stage.of(Seats.byTurns(POOLS), (live + turns * HOLDS_A_TURN_MAX) / POOLS);
    for (int i = 0; i < POOLS; i++) {
      stage.addPool();
    }
    Progress.say("a service with %d pools, for %,d live holds", POOLS, live);
    return stage;
  }

  private void warmUp(Stage stage) {
    stage.thaw(CONNECTIONS, HOLDS_A_TURN_MAX / 2);
    for (int i = 1; i < WARM_UP_TURNS; i++) {
      turn(stage);
    }
  }

  private Measured turn(Stage stage) {
    var load =
        new Load(
            stage.freshHolds(),
            Load.Expected.CREATED,
            CONNECTIONS,
            plan.runIn(),
            plan.turn(),
            HOLDS_A_TURN_MAX);
    var measured = stage.measure(load);
    stage.drain();
    return measured;
  }
}
