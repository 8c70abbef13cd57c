package io.holdfast.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// All turns by case and connections, round by round. Turns of one round are averaged, rounds give
/// medians.
final class Results {
  private final Map<Row, List<List<Measured>>> rounds = new LinkedHashMap<>();

  record Row(Case of, int connections) {}

  /// To the last round.
  void add(Row row, Measured turn) {
    rounds.computeIfAbsent(row, _ -> newRounds()).getLast().add(turn);
  }

  /// Another round behind those that are there.
  void addRound(Results round) {
    round.rounds.forEach(
        (row, turns) -> rounds.computeIfAbsent(row, _ -> new ArrayList<>()).addAll(turns));
  }

  List<Row> rows() {
    return List.copyOf(rounds.keySet());
  }

  double median(Row row, ToDoubleFunction<Measured> figure) {
    return Statistics.median(byRound(row, figure));
  }

  /// How a case compares with another one, round by round.
  double[] ratios(Case dividend, Case divisor, int connections, ToDoubleFunction<Measured> figure) {
    return ratios(new Row(dividend, connections), new Row(divisor, connections), figure);
  }

  double[] ratios(Row dividend, Row divisor, ToDoubleFunction<Measured> figure) {
    return Statistics.ratios(byRound(dividend, figure), byRound(divisor, figure));
  }

  double[] byRound(Row row, ToDoubleFunction<Measured> figure) {
    return rounds.getOrDefault(row, List.of()).stream()
        .mapToDouble(turns -> turns.stream().mapToDouble(figure).average().orElseThrow())
        .toArray();
  }

  private static List<List<Measured>> newRounds() {
    return new ArrayList<>(Stream.of(new ArrayList<Measured>()).toList());
  }
}
