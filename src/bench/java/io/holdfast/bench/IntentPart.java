package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What the Redis layer pays: the same calls to two services at once and by turns, one of which
/// keeps holds in Redis and the other one as rows in Postgres. Both are warm.
final class IntentPart {
  static final List<Case> CASES = List.of(Case.HOLD, Case.REFUSAL, Case.REPLAY, Case.HEARTBEAT);
  static final int CONNECTIONS = 64;

  private static final int POOL_ITEMS = 60_000;
  private static final int PRELUDE = 1_000;
  private static final long HOLD_COUNT_MAX = 25_000;
  private static final int THAW = 5_000;

  /// Two services at once are a busy machine: what comes late there is late, not lost.
  private static final Map<String, String> WITH_REDIS = Map.of("REDIS_COMMAND_TIMEOUT", "5s");

  private static final Map<String, String> WITHOUT =
      Map.of(
          "HOLDFAST_INTENT", "postgres", "JDBC_ACQUIRE_TIMEOUT", "30s", "JDBC_LOCK_TIMEOUT", "5s");

  private final Plan plan;

  IntentPart(Plan plan) {
    this.plan = plan;
  }

  /// The figures of both.
  record Compared(Results withRedis, Results without) {

    /// How many times as fast the one with Redis is, round by round.
    double[] ratios(Case of) {
      var row = new Row(of, CONNECTIONS);
      return Statistics.ratios(
          withRedis.byRound(row, Measured::perSecond), without.byRound(row, Measured::perSecond));
    }
  }

  Compared run() {
    var compared = new Compared(new Results(), new Results());
    try (var withRedis = stage(WITH_REDIS);
        var without = stage(WITHOUT)) {
      warmUp(withRedis);
      warmUp(without);
      for (int round = 0; round < plan.rounds(); round++) {
        round(withRedis, without, compared, round);
      }
    }
    return compared;
  }

  private static Stage stage(Map<String, String> settings) {
    return Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS, settings);
  }

  private void warmUp(Stage stage) {
    stage.requireFree(THAW);
    stage.thaw(CONNECTIONS, THAW);
    turns(stage);
  }

  /// Who comes second has the first one's turn behind it, so they change places.
  private void round(Stage withRedis, Stage without, Compared compared, int round) {
    if (round % 2 == 0) {
      compared.withRedis.addRound(turns(withRedis));
      compared.without.addRound(turns(without));
    } else {
      compared.without.addRound(turns(without));
      compared.withRedis.addRound(turns(withRedis));
    }
    Progress.say(
        "round %d, with Redis: %s; without: %s",
        round + 1, told(compared.withRedis), told(compared.without));
  }

  /// Replays come first, while the tokens of the prelude are young enough to be known.
  private Results turns(Stage stage) {
    stage.requireFree(PRELUDE + HOLD_COUNT_MAX);
    var prelude = stage.placeSome(PRELUDE, CONNECTIONS);
    stage.drain();
    var results = new Results();
    take(stage, results, Case.REPLAY, prelude.replays());
    take(stage, results, Case.HEARTBEAT, prelude.heartbeats());
    take(stage, results, Case.HOLD, stage.freshHolds());
    take(stage, results, Case.REFUSAL, prelude.refusals());
    return results;
  }

  private void take(Stage stage, Results results, Case of, Requests requests) {
    var countMax = of == Case.HOLD ? HOLD_COUNT_MAX : Long.MAX_VALUE;
    var load = new Load(requests, of.expected(), CONNECTIONS, plan.runIn(), plan.turn(), countMax);
    results.add(new Row(of, CONNECTIONS), stage.measure(load).with(stage.drain()));
  }

  private static String told(Results results) {
    return CASES.stream()
        .map(of -> new Row(of, CONNECTIONS))
        .map(row -> "%s %.0f/s".formatted(row.of(), results.median(row, Measured::perSecond)))
        .collect(Collectors.joining(", "));
  }
}
