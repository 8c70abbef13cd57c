package io.holdfast.bench;

import io.holdfast.bench.Results.Row;
import io.holdfast.onsale.OnSaleReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/// The limits of all figures.
final class Demands {
  private static final Map<Integer, Double> HOLD_TO_BARE = Map.of(64, 0.40, 256, 0.45);
  private static final Map<Integer, Double> HOLD_TO_TEXTBOOK = Map.of(64, 1.0, 256, 1.2);
  private static final double REDIS_TO_TEXTBOOK = 1.1;
  private static final double REDIS_MICROS_EMBEDDED = 50;
  private static final double REDIS_MICROS_GIVEN = 35;
  private static final double P99_TO_P50 = 3;
  private static final double BEST_TO_HOLD = 0.70;
  private static final double NOT_SLOWER = 1.0;
  private static final double NOT_SLOWER_BUT_FOR_NOISE = 0.97;
  private static final double P99_TO_BARE = 2.5;
  private static final double BYTES_A_HOLD = 820;
  private static final double CROWDED = 0.9;
  private static final double CONFIRM_TO_STATEMENTS = 2.5;
  private static final double CONFIRM_TO_ONE_STATEMENT = 1.2;
  private static final double CONFIRM_TO_INSERT = 2.5;

  /// Confirm / one statement of the rival on 18 November, when every hold was a script call.
  private static final double CONFIRM_BEFORE = 0.94;

  private static final double KIND_TO_SEATS = 0.9;

  private static final double LOOK_TO_HOLD = 2.0;

  /// What a call costs with 100,000 waiting requesters / with 100.
  private static final double LONG_QUEUE = 1.2;

  private static final double SOLD_ON_SALE = 0.95;

  private static final double FULL_LEDGER = 0.85;
  private static final double DELIVERIES = 2_000;

  private static final double CHECKOUT_TO_CONFIRM = 0.35;
  private static final double RESUME_SECONDS = 60;

  private static final double START_TO_BARE = 2.0;

  private final List<Demand> all = new ArrayList<>();

  List<Demand> all() {
    return List.copyOf(all);
  }

  boolean areMet() {
    return all.stream().allMatch(Demand::isMet);
  }

  void ofSpeed(Results results) {
    ofBest(results);
    for (var connections : Plan.CONNECTIONS) {
      all.add(
          Demand.atLeast(
              HOLD_TO_TEXTBOOK.get(connections),
              "hold / textbook route at %d connections".formatted(connections),
              results.ratios(Case.HOLD, Case.TEXTBOOK, connections, Measured::perSecond)));
      all.add(
          Demand.atLeast(
              HOLD_TO_BARE.get(connections),
              "hold / bare at %d connections".formatted(connections),
              results.ratios(Case.HOLD, Case.BARE, connections, Measured::perSecond)));
      notSlowerThanHolds(Case.REFUSAL, connections, results);
      notSlowerThanHolds(Case.REPLAY, connections, results);
      notSlowerThanHolds(Case.HEARTBEAT, connections, results);
      all.add(
          Demand.atMost(
              P99_TO_P50,
              "p99 / p50 of holds at %d connections".formatted(connections),
              results.byRound(new Row(Case.HOLD, connections), Measured::p99ToP50)));
    }
    ofRedis(results);
    var few = Plan.CONNECTIONS.getFirst();
    all.add(
        Demand.atMost(
            P99_TO_BARE,
            "p99 of hold / p99 of bare at %d connections".formatted(few),
            results.ratios(Case.HOLD, Case.BARE, few, Measured::p99Millis)));
  }

  private void ofRedis(Results results) {
    var few = Plan.CONNECTIONS.getFirst();
    all.add(
        Demand.atMost(
            RedisBinary.given().isEmbedded() ? REDIS_MICROS_EMBEDDED : REDIS_MICROS_GIVEN,
            "CPU µs of Redis' main thread for a hold at %d connections".formatted(few),
            results.byRound(new Row(Case.HOLD, few), Measured::redisMainMicros)));
    all.add(
        Demand.atMost(
            REDIS_TO_TEXTBOOK,
            "the same / that of the textbook route",
            results.ratios(Case.HOLD, Case.TEXTBOOK, few, Measured::redisMainMicros)));
  }

  void ofOverload(Overload overload) {
    all.addAll(OverloadDemands.of(overload));
  }

  void ofBest(Results results) {
    for (var connections : Plan.CONNECTIONS) {
      all.add(
          Demand.atLeast(
              BEST_TO_HOLD,
              "%s / hold at %d connections".formatted(Case.BEST.title(), connections),
              results.ratios(Case.BEST, Case.HOLD, connections, Measured::perSecond)));
    }
  }

  void ofMemory(double bytesAHold) {
    all.add(
        Demand.atMost(
            BYTES_A_HOLD,
            "bytes of Redis a live hold, token included, journal not",
            new double[] {bytesAHold}));
  }

  void ofCrowd(double[] ratios, long live) {
    all.add(
        Demand.atLeast(
            CROWDED,
            "holds beside %,d live ones / beside %,d".formatted(live, CrowdPart.FEW),
            ratios));
  }

  void ofSales(SalePart.Sold sold) {
    var sales = sold.results();
    all.add(
        Demand.atLeast(
            CONFIRM_TO_STATEMENTS,
            "confirm by %d connections / %s by %d, a transaction of statements"
                .formatted(SalePart.CONNECTIONS, sold.rival(), Rival.CLIENTS),
            sales.ratios(
                new Row(Case.CONFIRM, SalePart.CONNECTIONS),
                new Row(Case.RIVAL_STATEMENTS, Rival.CLIENTS),
                Measured::perSecond)));
    var toOneStatement =
        sales.ratios(
            new Row(Case.CONFIRM, SalePart.CONNECTIONS),
            new Row(Case.RIVAL_ONE, Rival.CLIENTS),
            Measured::perSecond);
    all.add(
        Demand.atLeast(
            CONFIRM_TO_ONE_STATEMENT,
            "confirm by %d connections / %s by %d, one statement"
                .formatted(SalePart.CONNECTIONS, sold.rival(), Rival.CLIENTS),
            toOneStatement));
    all.add(
        Demand.atLeast(
            NOT_SLOWER,
            NOT_SLOWER_BUT_FOR_NOISE,
            "the same / %.2f, which it was before holds went in batches".formatted(CONFIRM_BEFORE),
            DoubleStream.of(toOneStatement).map(ratio -> ratio / CONFIRM_BEFORE).toArray()));
    all.add(
        Demand.atMost(
            1,
            "p50 of a lone confirm / %.1f times that of a bare INSERT and COMMIT, or 1 ms more"
                .formatted(CONFIRM_TO_INSERT),
            Statistics.ratios(
                sales.byRound(new Row(Case.CONFIRM, SalePart.ALONE), Measured::p50Millis),
                sales.byRound(new Row(Case.INSERT, SalePart.ALONE), Demands::allowedMillis))));
  }

  private static double allowedMillis(Measured insert) {
    return Math.max(CONFIRM_TO_INSERT * insert.p50Millis(), insert.p50Millis() + 1);
  }

  void ofCheckouts(CheckoutPart.Done done) {
    all.add(
        Demand.atLeast(
            CHECKOUT_TO_CONFIRM,
            "checkout / confirm at %d connections".formatted(SalePart.CONNECTIONS),
            done.results()
                .ratios(Case.CHECKOUT, Case.CONFIRM, SalePart.CONNECTIONS, Measured::perSecond)));
    all.add(
        Demand.atMost(
            RESUME_SECONDS,
            "seconds until 10,000 checkouts that were left behind are through",
            new double[] {done.resumeSeconds()}));
  }

  void ofKinds(Results results) {
    ofKind(Case.UNIT_HOLD, Case.HOLD, results);
    ofKind(Case.RESERVATION, Case.HOLD, results);
    ofKind(Case.UNIT_CONFIRM, Case.CONFIRM, results);
  }

  private void ofKind(Case of, Case ofSeats, Results results) {
    all.add(
        Demand.atLeast(
            KIND_TO_SEATS,
            "%s / %s of a seat at %d connections"
                .formatted(of.title(), ofSeats.title(), KindsPart.CONNECTIONS),
            results.ratios(of, ofSeats, KindsPart.CONNECTIONS, Measured::perSecond)));
  }

  void ofQueues(Results results) {
    notSlowerThanHolds(Case.JOIN, QueuePart.CONNECTIONS, results);
    notSlowerThanHolds(Case.BID, QueuePart.CONNECTIONS, results);
    all.add(
        Demand.atLeast(
            LOOK_TO_HOLD,
            "%s / hold at %d connections".formatted(Case.LOOK.title(), QueuePart.CONNECTIONS),
            results.ratios(Case.LOOK, Case.HOLD, QueuePart.CONNECTIONS, Measured::perSecond)));
    all.add(
        Demand.atMost(
            LONG_QUEUE,
            "%s / %s".formatted(Case.LOOK.title(), Case.LOOK_LONG.title()),
            results.ratios(Case.LOOK, Case.LOOK_LONG, QueuePart.CONNECTIONS, Measured::perSecond)));
  }

  void ofOnSale(OnSaleReport report) {
    all.add(
        Demand.atLeast(
            SOLD_ON_SALE,
            "on-sale: seats sold to admitted people / seats",
            new double[] {report.soldShare()}));
    all.add(
        Demand.atMost(0, "on-sale: people who were overtaken", new double[] {report.inversions()}));
    all.add(
        Demand.atMost(0, "on-sale: limits missed in all", new double[] {report.misses().size()}));
  }

  void ofLedger(double[] ratios, long sales) {
    all.add(
        Demand.atLeast(
            FULL_LEDGER,
            "confirm behind %,d sales / behind %,d".formatted(sales, LedgerPart.FEW),
            ratios));
  }

  void ofWebhooks(WebhookPart.Told told) {
    all.add(Demand.atLeast(DELIVERIES, "deliveries/s to a local receiver", told.alone()));
    all.add(
        Demand.atLeast(
            DELIVERIES, "deliveries/s beside a receiver that takes 1 s", told.besideSlow()));
  }

  void ofStarts(double[] ratios) {
    all.add(
        Demand.atMost(
            START_TO_BARE,
            "start to first answer on warm servers / that of a bare Micronaut application",
            ratios));
  }

  private void notSlowerThanHolds(Case of, int connections, Results results) {
    all.add(
        Demand.atLeast(
            NOT_SLOWER,
            NOT_SLOWER_BUT_FOR_NOISE,
            "%s / hold at %d connections".formatted(of.title(), connections),
            results.ratios(of, Case.HOLD, connections, Measured::perSecond)));
  }
}
