package io.holdfast.bench;

import io.holdfast.load.Answer;
import io.holdfast.load.LoadCount;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The results under overload: closed loops, and an open loop at twice the capacity.
record Overload(List<Closed> closed, Flood flood) {
  static final int REFERENCE = 256;
  static final List<Integer> CONNECTIONS = List.of(64, REFERENCE, 1_024, 2_048);

  /// With a turn of the reference before and behind each that is compared with it.
  static final List<Integer> TURNS = List.of(64, REFERENCE, 1_024, REFERENCE, 2_048, REFERENCE);

  static final int ONE = 1;
  static final int MANY = 10;

  /// One closed loop.
  record Closed(int pools, int connections, LoadCount count) {}

  /// The open loop.
  ///
  /// @param before holds a second over 256 connections just before it, twice of which it sends
  /// @param behind the same just behind it
  /// @param unsent requests that were due and found no free connection
  /// @param recoverySeconds until the service was back to normal behind it
  record Flood(double before, double behind, LoadCount count, long unsent, double recoverySeconds) {
    double answeredToCapacity() {
      return count.goodPerSecond() / ((before + behind) / 2);
    }
  }

  long unknown(int pools, int connections) {
    return of(pools, connections).mapToLong(LoadCount::unknown).sum();
  }

  /// The speed over so many connections by that over 256.
  double goodput(int pools, int connections) {
    return goodPerSecond(pools, connections) / goodPerSecond(pools, REFERENCE);
  }

  private double goodPerSecond(int pools, int connections) {
    return of(pools, connections).mapToDouble(LoadCount::goodPerSecond).average().orElseThrow();
  }

  private Stream<LoadCount> of(int pools, int connections) {
    return closed.stream()
        .filter(turn -> turn.pools() == pools && turn.connections() == connections)
        .map(Closed::count);
  }

  /// The rows of the report.
  List<String> lines() {
    var lines = new ArrayList<String>();
    lines.add(
        "| overload | connections | pools | good/s | p50 ms | p99 ms | refused | 503 definite |"
            + " 503 unknown | done though 503 definite | connection errors |");
    lines.add("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (var turn : closed) {
      var what = "closed loop | %,d | %d".formatted(turn.connections(), turn.pools());
      lines.add(line(what, turn.count()));
    }
    lines.add(line("open loop at %,.0f/s | | %d".formatted(2 * flood.before, ONE), flood.count));
    lines.add("");
    lines.add(
        "Of the open loop %,d requests found no free connection and were not sent."
            .formatted(flood.unsent));
    return lines;
  }

  private static String line(String what, LoadCount count) {
    return "| %s | %,.0f | %.1f | %.1f | %,d | %,d | %,d | %,d | %,d |"
        .formatted(
            what,
            count.goodPerSecond(),
            count.goodMillis(50),
            count.goodMillis(99),
            count.count(Answer.REFUSED),
            count.count(Answer.SHED),
            count.count(Answer.UNKNOWN),
            count.count(Answer.DONE_BEFORE),
            count.count(Answer.BROKEN));
  }
}
