package io.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The limits of the figures under overload.
final class OverloadDemands {
  private static final Map<Integer, Double> GOODPUT = Map.of(1_024, 0.9, 2_048, 0.85);
  private static final double FLOOD_TO_CAPACITY = 0.9;
  private static final double REFUSAL_MILLIS = 700;
  private static final double RECOVERY_SECONDS = 2;

  private OverloadDemands() {}

  static List<Demand> of(Overload overload) {
    var all = new ArrayList<Demand>();
    for (var pools : List.of(Overload.ONE, Overload.MANY)) {
      for (var connections : Overload.CONNECTIONS) {
        all.add(
            Demand.atMost(
                0,
                "unknown answers at %,d connections, pools: %d".formatted(connections, pools),
                one(overload.unknown(pools, connections))));
      }
      for (var connections : List.of(1_024, 2_048)) {
        all.add(
            Demand.atLeast(
                GOODPUT.get(connections),
                "goodput at %,d connections / at %d, pools: %d"
                    .formatted(connections, Overload.REFERENCE, pools),
                one(overload.goodput(pools, connections))));
      }
    }
    all.addAll(ofFlood(overload.flood()));
    return all;
  }

  private static List<Demand> ofFlood(Overload.Flood flood) {
    return List.of(
        Demand.atMost(
            0, "unknown answers of an open loop at 2 × capacity", one(flood.count().unknown())),
        Demand.atLeast(
            FLOOD_TO_CAPACITY,
            "holds of an open loop at 2 × capacity / capacity",
            one(flood.answeredToCapacity())),
        Demand.atMost(
            REFUSAL_MILLIS,
            "p99 ms of refusals in that open loop",
            one(flood.count().shedMillis(99))),
        Demand.atMost(
            RECOVERY_SECONDS,
            "seconds behind it until the service is back to normal",
            one(flood.recoverySeconds())));
  }

  private static double[] one(double figure) {
    return new double[] {figure};
  }
}
