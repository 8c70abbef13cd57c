package io.holdfast.bench;

import io.holdfast.load.LoadCount;
import io.holdfast.load.LoadDriver;
import io.holdfast.load.LoadRun;
import io.holdfast.load.Pace;
import io.holdfast.load.Seats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Holds by more callers than the service can serve: closed loops of 64 to 2,048 connections on one
/// pool and on ten, and an open loop at twice the speed of 256 connections. Every turn starts with
/// an empty journal and with more free items than it can take.
final class OverloadPart {
  private static final int POOL_ITEMS = 99_000;
  private static final int FEW_ITEMS = 25_000;
  private static final double HOLDS_A_SECOND = 15_000;
  private static final double MARGIN = 1.5;
  private static final Duration RUN_IN = Duration.ofSeconds(1);
  private static final Duration WARM_UP_TURN = Duration.ofSeconds(1);
  private static final int WARM_UP_TURNS = 12;
  private static final int THAW = 10_000;
  private static final double FLOOD = 2;
  private static final Duration FLOOD_RUN_IN = Duration.ofSeconds(2);

  /// A call may wait for half a second before it is refused. So many connections are needed for
  /// requests that come at a steady rate, whatever becomes of them, and some more.
  private static final double CONNECTION_SECONDS = 0.6;

  private static final int CONNECTIONS_MAX = 8_000;

  private final Plan plan;
  private final List<Overload.Closed> closed = new ArrayList<>();
  private double fastest = HOLDS_A_SECOND;

  private OverloadPart(Plan plan) {
    this.plan = plan;
  }

  static Overload run(Plan plan) {
    var part = new OverloadPart(plan);
    var flood = part.onOnePool();
    part.onManyPools();
    return new Overload(part.closed, flood);
  }

  /// A pool that is used up is followed by the next, so that callers ask for one at a time.
  private Overload.Flood onOnePool() {
    try (var stage = Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS)) {
      closedLoops(stage, Overload.ONE);
      return flood(stage);
    }
  }

  private void onManyPools() {
    var seats = Seats.byTurnsInOrder(Overload.MANY, FEW_ITEMS);
    try (var stage = Stage.of(seats, FEW_ITEMS)) {
      closedLoops(stage, Overload.MANY);
    }
  }

  private void closedLoops(Stage stage, int pools) {
    stage.requireFree(itemsOf(WARM_UP_TURN), pools);
    stage.thaw(Plan.CONNECTIONS.getFirst(), THAW);
    for (var i = 1; i < WARM_UP_TURNS; i++) {
      var turn = closed(stage, pools, Overload.REFERENCE, Duration.ZERO, WARM_UP_TURN);
      Progress.say("warm-up %d: %s", i, turn);
    }
    for (var connections : Overload.TURNS) {
      var turn = closed(stage, pools, connections, RUN_IN, plan.overload());
      Progress.say("%d connections, pools: %d: %s", connections, pools, turn);
      closed.add(new Overload.Closed(pools, connections, turn));
    }
  }

  private LoadCount closed(Stage stage, int pools, int connections, Duration runIn, Duration time) {
    var end = runIn.plus(time);
    var count = new LoadCount(runIn, end);
    stage.requireFree(itemsOf(end), pools);
    LoadDriver.run(stage.load(connections, Pace.closed(end)), count);
    stage.drain();
    fastest = Math.max(fastest, count.goodPerSecond());
    return count;
  }

  /// Behind the flood requests come at half of the capacity, and show when the service is back to
  /// normal.
  private Overload.Flood flood(Stage stage) {
    var capacity = capacity(stage);
    var flood = new Pace.Phase(FLOOD * capacity, FLOOD_RUN_IN.plus(plan.flood()));
    var calm = new Pace.Phase(capacity / 2, Recovery.WATCHED);
    stage.requireFree(itemsOf(flood.time().plus(calm.time())));
    var count = new LoadCount(FLOOD_RUN_IN, flood.time());
    var recovery = new Recovery(flood.time());
    var unsent =
        LoadDriver.run(
            floodOf(stage, flood, calm),
            (answer, due, now) -> {
              if (due < flood.time().toNanos()) {
                count.answered(answer, due, now);
              } else {
                recovery.answered(answer, due, now);
              }
            });
    stage.drain();
    var done = new Overload.Flood(capacity, capacity(stage), count, unsent, recovery.seconds());
    Progress.say("%s", done);
    return done;
  }

  private double capacity(Stage stage) {
    return closed(stage, Overload.ONE, Overload.REFERENCE, RUN_IN, plan.overload()).goodPerSecond();
  }

  private static LoadRun floodOf(Stage stage, Pace.Phase flood, Pace.Phase calm) {
    var connections = Math.min(CONNECTIONS_MAX, (int) (flood.perSecond() * CONNECTION_SECONDS));
    return stage.load(connections, Pace.open(List.of(flood, calm)));
  }

  /// More than the service can hold in that time, by all that is known of it.
  private long itemsOf(Duration time) {
    return (long) (MARGIN * fastest * time.toMillis() / 1_000);
  }
}
