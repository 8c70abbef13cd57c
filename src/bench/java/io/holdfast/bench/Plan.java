package io.holdfast.bench;

import java.time.Duration;
import java.util.List;

/// How long everything takes. More rounds make the medians steadier, longer turns do not.
///
/// @param runIn of each turn, uncounted: connections are new, and caches belong to the last turn
/// @param crowd the live holds of the full service; 0 leaves that part out
/// @param ledger the sales of the service that has sold much; 0 leaves that part out
/// @param overload the time of each closed loop of the overload part
/// @param flood the time of its open loop
record Plan(
    Duration runIn,
    Duration turn,
    int rounds,
    int warmUpRoundsMax,
    int crowdRounds,
    long crowd,
    int ledgerRounds,
    long ledger,
    Duration overload,
    Duration flood) {

  static final List<Integer> CONNECTIONS = List.of(64, 256);

  static Plan full() {
    return new Plan(
        Duration.ofMillis(250),
        Duration.ofMillis(1_500),
        5,
        8,
        6,
        1_000_000,
        6,
        10_000_000,
        Duration.ofSeconds(15),
        Duration.ofSeconds(30));
  }

  static Plan quick() {
    return new Plan(
        Duration.ofMillis(200),
        Duration.ofMillis(1_000),
        2,
        4,
        4,
        100_000,
        0,
        0,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10));
  }
}
