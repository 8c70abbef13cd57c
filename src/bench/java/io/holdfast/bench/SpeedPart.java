package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Requests;
import io.holdfast.load.Seats;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/// Measures all cases in turns on one service, each after a turn of the bare endpoint, so that
/// other load on the machine affects both alike.
final class SpeedPart {
  private static final int POOL_ITEMS = 99_000;
  private static final int PRELUDE = 2_000;
  private static final long ITEMS_A_ROUND = PRELUDE + Turns.ITEMS_MAX;
  private static final Duration WARM_UP_TURN = Duration.ofMillis(600);
  private static final int WARM_UP_ROUNDS_MIN = 3;
  private static final int THAW = 10_000;
  private static final double STABLE = 1.03;

  private final Stage stage;
  private final Requests raw;
  private final Plan plan;

  SpeedPart(Stage stage, Requests raw, Plan plan) {
    this.stage = stage;
    this.raw = raw;
    this.plan = plan;
  }

  static Stage stage() {
    return Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS);
  }

  Results run() {
    warmUp();
    var results = new Results();
    for (var connections : Plan.CONNECTIONS) {
      for (int round = 0; round < plan.rounds(); round++) {
        var part = round(connections, plan.runIn(), plan.turn());
        Progress.say("%d connections, round %d: %s", connections, round + 1, told(part));
        results.addRound(part);
      }
    }
    return results;
  }

  /// Ends when a round is hardly faster than the best before it.
  private void warmUp() {
    var best = 0.0;
    var connections = Plan.CONNECTIONS.getFirst();
    stage.thaw(connections, THAW);
    for (int i = 1; i <= plan.warmUpRoundsMax(); i++) {
      var round = round(connections, Duration.ZERO, WARM_UP_TURN);
      Progress.say("warm-up %d: %s", i, told(round));
      var speed =
          round.median(new Row(Case.BARE, connections), Measured::perSecond)
              + round.median(new Row(Case.HOLD, connections), Measured::perSecond);
      if (i >= WARM_UP_ROUNDS_MIN && speed < best * STABLE) {
        return;
      }
      best = Math.max(best, speed);
    }
  }

  /// Replays come first, while the tokens of the prelude are young enough to be known.
  private Results round(int connections, Duration runIn, Duration time) {
    stage.requireFree(ITEMS_A_ROUND);
    var round = new Turns(stage, connections, runIn, time);
    var prelude = stage.placeSome(PRELUDE, connections);
    stage.drain();
    round.take(Case.REPLAY, prelude.replays());
    round.take(Case.HEARTBEAT, prelude.heartbeats());
    for (var turn = 0; turn < Turns.OF_HOLDS; turn++) { // by turns, for they are compared
      round.take(Case.TEXTBOOK, new Prepared(List.of(RequestTexts.textbook())));
      round.take(Case.HOLD, stage.freshHolds());
    }
    round.take(Case.BEST, stage.bestHolds());
    round.take(Case.REFUSAL, prelude.refusals());
    if (connections == Plan.CONNECTIONS.getFirst()) {
      round.takeRaw(raw); // which has one connection anyway
    }
    return round.results();
  }

  private static String told(Results round) {
    return round.rows().stream()
        .map(row -> "%s %.0f/s".formatted(row.of(), round.median(row, Measured::perSecond)))
        .collect(Collectors.joining(", "));
  }
}
