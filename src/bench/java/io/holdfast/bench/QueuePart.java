package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Requests;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Measures what gets a sequence number against holds of seats, by turns on one service: joins of a
/// queue, looks at a place in a short and in a long one, bids.
final class QueuePart {
  static final int CONNECTIONS = Plan.CONNECTIONS.getFirst();
  private static final String ROOM = "bench-room";
  private static final String SHORT = "bench-short-queue";
  private static final String LONG = "bench-long-queue";
  private static final String LOT = "bench-lot";
  private static final int FEW = 100;
  private static final int MANY = 100_000;

  /// Of each queue, so that both cases send as many different requests.
  private static final int LOOKED_AT = 100;

  private static final int FILLING_CONNECTIONS = 16;
  private static final int THAW = 10_000;
  private static final Duration WARM_UP_TURN = Duration.ofMillis(600);

  private final Stage stage;
  private final Plan plan;
  private final List<Kind> kinds;

  private record Kind(Case of, Supplier<Requests> requests) {}

  private QueuePart(Stage stage, Plan plan) {
    this.stage = stage;
    this.plan = plan;
    var shortQueue = looks(SHORT, FEW);
    var longQueue = looks(LONG, MANY);
    this.kinds =
        List.of(
            new Kind(Case.HOLD, stage::freshHolds),
            new Kind(Case.JOIN, () -> stage.joins(ROOM)),
            new Kind(Case.BID, stage::bids),
            new Kind(Case.RAISE, () -> stage.raises(LOT)),
            new Kind(Case.LOOK, () -> shortQueue),
            new Kind(Case.LOOK_LONG, () -> longQueue));
  }

  static Results run(Plan plan) {
    try (var stage = SpeedPart.stage()) {
      stage.requireFree(THAW);
      stage.thaw(CONNECTIONS, THAW);
      stage.addRoom(ROOM);
      stage.addAuction(LOT);
      return new QueuePart(stage, plan).run();
    }
  }

  /// How raised bids compare with holds: each also ends a bid. Nothing is asked of them.
  static String raises(Results results) {
    var ratios = results.ratios(Case.RAISE, Case.HOLD, CONNECTIONS, Measured::perSecond);
    return "Raises of the own bid come to %.2f (%s) of holds."
        .formatted(Statistics.median(ratios), Statistics.spread(ratios));
  }

  /// Fills a queue, and looks at places all over it.
  private Prepared looks(String queue, int waiting) {
    stage.addRoom(queue);
    var joined = stage.place(stage.joins(queue), waiting, FILLING_CONNECTIONS);
    stage.drain();
    var step = Math.max(1, joined.size() / LOOKED_AT);
    var looks =
        IntStream.range(0, joined.size() / step)
            .mapToObj(i -> RequestTexts.look(joined.get(i * step)))
            .toList();
    Progress.say("%s: %,d waiting", queue, joined.size());
    return new Prepared(looks);
  }

  private Results run() {
    for (var i = 0; i < plan.warmUpRoundsMax(); i++) {
      told("warm-up", round(Duration.ZERO, WARM_UP_TURN));
    }
    var results = new Results();
    for (var i = 0; i < plan.rounds(); i++) {
      var round = round(plan.runIn(), plan.turn());
      told("queues, round %d".formatted(i + 1), round);
      results.addRound(round);
    }
    return results;
  }

  /// In both orders, so that no case always runs behind the same other one.
  private Results round(Duration runIn, Duration time) {
    stage.requireFree(2 * Turns.HOLD_COUNT_MAX);
    stage.requireBidders(2 * Turns.HOLD_COUNT_MAX);
    var turns = new Turns(stage, CONNECTIONS, runIn, time);
    kinds.forEach(kind -> turns.take(kind.of(), kind.requests().get()));
    kinds.reversed().forEach(kind -> turns.take(kind.of(), kind.requests().get()));
    return turns.results();
  }

  private static void told(String what, Results round) {
    Progress.say(
        "%s: %s",
        what, round.rows().stream().map(row -> told(round, row)).collect(Collectors.joining(", ")));
  }

  private static String told(Results round, Row row) {
    return "%s %.0f/s".formatted(row.of(), round.median(row, Measured::perSecond));
  }
}
