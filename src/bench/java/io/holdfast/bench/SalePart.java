package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Requests;
import io.holdfast.load.Seats;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Sales over HTTP against plain clients of the same Postgres that write the same rows, and a
/// single sale against the least that can be made durable. By turns on one service, which is at
/// rest while its rivals sell.
final class SalePart {
  static final int CONNECTIONS = Plan.CONNECTIONS.getFirst();
  static final int ALONE = 1;
  static final int SALES_A_TURN = 5_000;
  private static final int HOLDS_A_TURN = 5_000;
  private static final int SALES_ALONE = 400;
  private static final int RIVAL_SALES_A_CLIENT = 120;
  private static final int RIVAL_TURNS_A_ROUND = 2;
  private static final int POOL_ITEMS = 99_000;
  private static final Duration TURN_MAX = Duration.ofSeconds(20);
  private static final int THAW = 10_000;
  private static final int PLACING_CONNECTIONS = 16;
  private static final double ENOUGH = 0.5;

  private final Stage stage;
  private final Plan plan;
  private final RivalStock rival;

  private SalePart(Stage stage, Plan plan) {
    this.stage = stage;
    this.plan = plan;
    stage.database().run(InsertController.TABLE);
    var turns = RIVAL_TURNS_A_ROUND * (plan.rounds() + 1);
    this.rival =
        RivalStock.beside(stage.database(), (long) turns * Rival.CLIENTS * RIVAL_SALES_A_CLIENT);
  }

  static Stage stage() {
    return Stage.of(Seats.inOrder(POOL_ITEMS), POOL_ITEMS);
  }

  /// @return the rounds, and who the rival was
  static Sold run(Plan plan) {
    try (var stage = stage()) {
      var part = new SalePart(stage, plan);
      return new Sold(part.run(), part.rival.rival());
    }
  }

  record Sold(Results results, String rival) {}

  private Results run() {
    warmUp(stage);
    told("rivals' warm-up", round());
    var results = new Results();
    for (int i = 0; i < plan.rounds(); i++) {
      var round = round();
      told("sales, round %d".formatted(i + 1), round);
      results.addRound(round);
    }
    return results;
  }

  /// While a JVM is cold, calls may exceed their timeouts.
  static void warmUp(Stage stage) {
    stage.requireFree(THAW);
    stage.thaw(CONNECTIONS, THAW);
    WarmUp.of("sales", () -> coldTurn(stage));
  }

  private static double coldTurn(Stage stage) {
    return coldTurn(stage, prepared(stage, SALES_A_TURN));
  }

  static double coldTurn(Stage stage, Prepared sales) {
    var load = Load.counted(sales, Load.Expected.ANYTHING, CONNECTIONS, sales.size());
    var speed = stage.measure(load).perSecond();
    stage.drain();
    return speed;
  }

  private Results round() {
    var round = new Results();
    add(round, Case.BARE, CONNECTIONS, bare());
    add(round, Case.CONFIRM, CONNECTIONS, sell(stage, plan));
    add(round, Case.RIVAL_STATEMENTS, Rival.CLIENTS, rival(RivalSale.ofStatements()));
    add(round, Case.BARE, CONNECTIONS, bare());
    add(round, Case.CONFIRM, CONNECTIONS, sell(stage, plan));
    add(round, Case.HOLD, CONNECTIONS, holds());
    add(round, Case.RIVAL_ONE, Rival.CLIENTS, rival(RivalSale.ofOneStatement()));
    var alone = prepared(stage, SALES_ALONE);
    add(round, Case.INSERT, ALONE, measure(Case.INSERT, inserts(), ALONE, SALES_ALONE));
    add(round, Case.CONFIRM, ALONE, measure(Case.CONFIRM, alone, ALONE, alone.size()));
    stage.drain();
    return round;
  }

  /// Of holds that were placed and drained before it, all of them: what Postgres does beside sales
  /// comes and goes, and shorter turns meet it or not.
  static Measured sell(Stage stage, Plan plan) {
    return sell(stage, plan, prepared(stage, SALES_A_TURN));
  }

  static Measured sell(Stage stage, Plan plan, Prepared sales) {
    var load =
        new Load(sales, Case.CONFIRM.expected(), CONNECTIONS, plan.runIn(), TURN_MAX, sales.size());
    return stage.measure(load).with(stage.drain());
  }

  static Prepared prepared(Stage stage, int count) {
    return prepared(stage, count, RequestTexts::confirm);
  }

  /// @param request for the body that answered the placing of a hold
  static Prepared prepared(Stage stage, int count, UnaryOperator<String> request) {
    stage.requireFree(count);
    return prepared(stage, stage.freshHolds(), count, request);
  }

  /// @param placing the requests for holds or reservations
  static Prepared prepared(
      Stage stage, Requests placing, int count, UnaryOperator<String> request) {
    var holds = stage.place(placing, count, PLACING_CONNECTIONS);
    stage.drain();
    if (holds.size() < count * ENOUGH) {
      throw new IllegalStateException(holds.size() + " of " + count + " holds were placed");
    }
    return new Prepared(holds.stream().map(request).toList());
  }

  /// Does the same in every version of the service, so that sales of two versions can be compared.
  private Measured bare() {
    var requests = new Prepared(List.of(RequestTexts.bare()));
    return stage.measure(
        new Load(
            requests,
            Case.BARE.expected(),
            CONNECTIONS,
            plan.runIn(),
            plan.turn(),
            Long.MAX_VALUE));
  }

  private Measured holds() {
    stage.requireFree(HOLDS_A_TURN);
    return measure(Case.HOLD, stage.freshHolds(), CONNECTIONS, HOLDS_A_TURN).with(stage.drain());
  }

  private static Requests inserts() {
    return new Prepared(List.of(RequestTexts.insert()));
  }

  private Measured measure(Case of, Requests requests, int connections, long count) {
    return stage.measure(Load.counted(requests, of.expected(), connections, count));
  }

  private Measured rival(RivalSale sale) {
    return stage.measure(() -> rival.sell(sale, RIVAL_SALES_A_CLIENT));
  }

  private static void add(Results round, Case of, int connections, Measured measured) {
    round.add(new Row(of, connections), measured);
  }

  private static void told(String what, Results round) {
    Progress.say(
        "%s: %s",
        what,
        round.rows().stream()
            .map(
                row ->
                    "%s by %d %.0f/s, p50 %.2f ms"
                        .formatted(
                            row.of(),
                            row.connections(),
                            round.median(row, Measured::perSecond),
                            round.median(row, Measured::p50Millis)))
            .collect(Collectors.joining(", ")));
  }
}
