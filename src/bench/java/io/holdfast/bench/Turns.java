package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Requests;
import java.time.Duration;
import java.util.List;

/// One round: a turn of each case, and before each a turn of the bare endpoint. The journal is
/// drained while a turn is under way as it always is, and what is left of it then is drained before
/// the next, for that one is not to pay for it.
final class Turns {
  private static final int ONE = 1;
  private static final long RAW_COUNT = 20_000;
  static final int OF_HOLDS = 2;

  /// A machine that is faster ends the turn sooner.
  static final long HOLD_COUNT_MAX = 45_000;

  /// The free items that one round may take.
  static final long ITEMS_MAX = OF_HOLDS * HOLD_COUNT_MAX + RAW_COUNT;

  private final Stage stage;
  private final int connections;
  private final Duration runIn;
  private final Duration time;
  private final Requests bare = new Prepared(List.of(RequestTexts.bare()));
  private final Results results = new Results();

  Turns(Stage stage, int connections, Duration runIn, Duration time) {
    this.stage = stage;
    this.connections = connections;
    this.runIn = runIn;
    this.time = time;
  }

  void take(Case of, Requests requests) {
    add(Case.BARE, measure(Case.BARE, bare));
    add(of, measure(of, requests).with(stage.drain()));
  }

  void takeRaw(Requests commands) {
    var measured = stage.measureRaw(commands, RAW_COUNT);
    results.add(new Row(Case.RAW, ONE), measured.with(stage.drain()));
  }

  Results results() {
    return results;
  }

  private Measured measure(Case of, Requests requests) {
    var isLimited = of == Case.HOLD || of == Case.BEST || of == Case.BID;
    var countMax = isLimited ? HOLD_COUNT_MAX : Long.MAX_VALUE;
    return stage.measure(new Load(requests, of.expected(), connections, runIn, time, countMax));
  }

  private void add(Case of, Measured measured) {
    results.add(new Row(of, connections), measured);
  }
}
