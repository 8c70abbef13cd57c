package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.load.Requests;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Measures the other kinds of pools against seats, by turns on one service: units of one stock
/// that everybody wants, and values of one type.
final class KindsPart {
  static final int CONNECTIONS = Plan.CONNECTIONS.getFirst();
  private static final String STOCK = "bench-stock";
  private static final String TYPE = "benchname";
  private static final int THAW = 10_000;

  /// Of each kind in a round: single turns differ by half on a shared machine.
  private static final int TURNS = 4;

  private final Stage stage;
  private final Plan plan;
  private final List<Kind> kinds;

  /// @param confirm for the body that answered a request for a hold
  private record Kind(
      Case hold, Supplier<Requests> holds, Case sale, UnaryOperator<String> confirm) {}

  private KindsPart(Stage stage, Plan plan) {
    this.stage = stage;
    this.plan = plan;
    this.kinds =
        List.of(
            new Kind(Case.HOLD, stage::freshHolds, Case.CONFIRM, RequestTexts::confirm),
            new Kind(
                Case.UNIT_HOLD,
                () -> stage.unitHolds(STOCK),
                Case.UNIT_CONFIRM,
                RequestTexts::confirm),
            new Kind(
                Case.RESERVATION,
                () -> stage.reservations(TYPE),
                Case.RESERVATION_CONFIRM,
                RequestTexts::confirmReservation));
  }

  static Results run(Plan plan) {
    try (var stage = SalePart.stage()) {
      stage.addStock(STOCK);
      stage.addType(TYPE);
      return new KindsPart(stage, plan).run();
    }
  }

  /// How they compare with confirms of seats. Nothing is asked of them.
  static String reservationConfirms(Results results) {
    var ratios =
        results.ratios(Case.RESERVATION_CONFIRM, Case.CONFIRM, CONNECTIONS, Measured::perSecond);
    return "Confirms of reservations come to %.2f (%s) of confirms of seats."
        .formatted(Statistics.median(ratios), Statistics.spread(ratios));
  }

  private Results run() {
    stage.requireFree(THAW);
    stage.thaw(CONNECTIONS, THAW);
    WarmUp.of("sales of all kinds", this::coldTurns);
    told("holds' warm-up", round());
    var results = new Results();
    for (int i = 0; i < plan.rounds(); i++) {
      var round = round();
      told("kinds, round %d".formatted(i + 1), round);
      results.addRound(round);
    }
    return results;
  }

  private double coldTurns() {
    return kinds.stream()
        .mapToDouble(kind -> SalePart.coldTurn(stage, sales(kind)))
        .average()
        .orElseThrow();
  }

  private Results round() {
    stage.requireFree(TURNS * Turns.HOLD_COUNT_MAX);
    var turns = new Turns(stage, CONNECTIONS, plan.runIn(), plan.turn());
    byTurns(kind -> turns.take(kind.hold(), kind.holds().get()));
    var round = turns.results();
    byTurns(kind -> round.add(new Row(kind.sale(), CONNECTIONS), sell(kind)));
    return round;
  }

  /// In both orders, so that no kind always runs behind the same other one.
  private void byTurns(Consumer<Kind> turn) {
    for (var i = 0; i < TURNS; i++) {
      (i % 2 == 0 ? kinds : kinds.reversed()).forEach(turn);
    }
  }

  private Measured sell(Kind kind) {
    return SalePart.sell(stage, plan, sales(kind));
  }

  private Prepared sales(Kind kind) {
    stage.requireFree(SalePart.SALES_A_TURN);
    return SalePart.prepared(stage, kind.holds().get(), SalePart.SALES_A_TURN, kind.confirm());
  }

  private static void told(String what, Results round) {
    Progress.say(
        "%s: %s",
        what,
        round.rows().stream()
            .map(row -> "%s %.0f/s".formatted(row.of(), round.median(row, Measured::perSecond)))
            .collect(Collectors.joining(", ")));
  }
}
