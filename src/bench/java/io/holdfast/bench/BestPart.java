package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Measures holds of adjacent seats and plain holds, which they are compared with, in turns.
final class BestPart {
  private static final Duration WARM_UP_TURN = Duration.ofMillis(600);
  private static final int THAW = 10_000;

  private BestPart() {}

  static Results run(Plan plan) {
    try (var stage = SpeedPart.stage()) {
      stage.requireFree(Turns.ITEMS_MAX);
      stage.thaw(Plan.CONNECTIONS.getFirst(), THAW);
      for (var i = 0; i < plan.warmUpRoundsMax(); i++) {
        round(stage, Plan.CONNECTIONS.getFirst(), Duration.ZERO, WARM_UP_TURN);
      }
      var results = new Results();
      for (var connections : Plan.CONNECTIONS) {
        for (var i = 0; i < plan.rounds(); i++) {
          results.addRound(round(stage, connections, plan.runIn(), plan.turn()));
        }
      }
      return results;
    }
  }

  private static Results round(Stage stage, int connections, Duration runIn, Duration time) {
    stage.requireFree(Turns.ITEMS_MAX);
    var turns = new Turns(stage, connections, runIn, time);
    turns.take(Case.HOLD, stage.freshHolds());
    turns.take(Case.BEST, stage.bestHolds());
    var round = turns.results();
    Progress.say("%d connections: %s", connections, told(round, connections));
    return round;
  }

  private static String told(Results round, int connections) {
    return Stream.of(Case.HOLD, Case.BEST)
        .map(of -> told(round, new Row(of, connections)))
        .collect(Collectors.joining(", "));
  }

  private static String told(Results round, Row row) {
    return "%s %.0f/s, %.0f µs of Redis"
        .formatted(
            row.of(),
            round.median(row, Measured::perSecond),
            round.median(row, Measured::redisMicros));
  }
}
