package io.holdfast.bench;

import java.util.ArrayList;
import java.util.List;

/// What is asked of the figures.
final class Demands {
  private static final double HOLD_TO_BARE = 0.60;
  private static final double NOT_SLOWER = 1.0;
  private static final double NOT_SLOWER_BUT_FOR_NOISE = 0.97;
  private static final double P99_TO_BARE = 2.5;
  private static final double BYTES_A_HOLD = 1_024;
  private static final double CROWDED = 0.9;

  private final List<Demand> all = new ArrayList<>();

  List<Demand> all() {
    return List.copyOf(all);
  }

  boolean areMet() {
    return all.stream().allMatch(Demand::isMet);
  }

  void ofSpeed(Results results) {
    for (var connections : Plan.CONNECTIONS) {
      all.add(
          Demand.atLeast(
              HOLD_TO_BARE,
              "hold / bare at %d connections".formatted(connections),
              results.ratios(Case.HOLD, Case.BARE, connections, Measured::perSecond)));
      notSlowerThanHolds(Case.REFUSAL, connections, results);
      notSlowerThanHolds(Case.REPLAY, connections, results);
    }
    var few = Plan.CONNECTIONS.getFirst();
    all.add(
        Demand.atMost(
            P99_TO_BARE,
            "p99 of hold / p99 of bare at %d connections".formatted(few),
            results.ratios(Case.HOLD, Case.BARE, few, Measured::p99Millis)));
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

  private void notSlowerThanHolds(Case of, int connections, Results results) {
    all.add(
        Demand.atLeast(
            NOT_SLOWER,
            NOT_SLOWER_BUT_FOR_NOISE,
            "%s / hold at %d connections".formatted(of.title(), connections),
            results.ratios(of, Case.HOLD, connections, Measured::perSecond)));
  }
}
