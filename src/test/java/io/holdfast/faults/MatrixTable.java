package io.holdfast.faults;

import io.holdfast.faults.KillCase.Victim;
import io.holdfast.faults.Trial.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Formats the matrix: a row for each moment, a column for each victim.
final class MatrixTable {
  private MatrixTable() {}

  static String of(List<Verdict> verdicts) {
    var rows = new LinkedHashMap<Moment, Map<Victim, String>>();
    for (var verdict : verdicts) {
      rows.computeIfAbsent(verdict.kill().moment(), _ -> new LinkedHashMap<>())
          .merge(verdict.kill().victim(), cell(verdict), (one, other) -> one + " " + other);
    }
    var head = line("killed", Stream.of(Victim.values()).map(Victim::name));
    return head
        + rows.entrySet().stream()
            .map(
                row ->
                    line(
                        row.getKey().toString(),
                        Stream.of(Victim.values())
                            .map(victim -> row.getValue().getOrDefault(victim, "-"))))
            .collect(Collectors.joining())
        + "F fulfilled, C compensated, ! failed; seconds from the kill to the end;"
        + " first with a client that retries, then with one that is gone\n";
  }

  private static String cell(Verdict verdict) {
    var end =
        switch (verdict.end()) {
          case "DONE" -> "F";
          case "COMPENSATED" -> "C";
          case String other -> other;
        };
    return "%s%s %.1f".formatted(verdict.isGood() ? "" : "!", end, verdict.took().toMillis() / 1e3);
  }

  private static String line(String first, Stream<String> others) {
    return "| %-24s | %s |\n"
        .formatted(first, others.map("%-15s"::formatted).collect(Collectors.joining(" | ")));
  }
}
