package io.holdfast.testing;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// The figures that `docs/bench.md` publishes for requirements that are targets of speed. A bench
/// run has measured them; no test can, on a machine that it shares.
final class PublishedFigures {
  private static final Pattern ROW =
      Pattern.compile(
          "\\| (?<id>[A-Z]+-[A-Z]+-\\d+) \\| (?<name>[^|/]+) \\| (?<measured>[\\d.,]+)"
              + " \\| (?<limit>[<>])= (?<target>[\\d.,]+) \\| (?<verdict>PASS|MISS)"
              + " \\| \\[[^]]+]\\((?<run>bench/[^)]+)\\) \\|");

  private PublishedFigures() {}

  /// @param measured as it stands in the run
  /// @param run the page of the run, relative to `docs`
  /// @param isMet whether the figure meets its target, whatever the verdict beside it says
  record Figure(
      String id, String name, String measured, String verdict, String run, boolean isMet) {

    /// As a line of the acceptance page, in which the figure stands for a test.
    String line() {
      var state = isMet ? "passed" : "missed";
      return "%s\tbench/bench.md, %s: %s\t%s".formatted(id, name, measured, state);
    }
  }

  static List<Figure> of(String page) {
    return ROW.matcher(page).results().map(PublishedFigures::figure).toList();
  }

  private static Figure figure(MatchResult row) {
    var measured = number(row.group("measured"));
    var target = number(row.group("target"));
    var isMet = row.group("limit").equals(">") ? measured >= target : measured <= target;
    return new Figure(
        row.group("id"),
        row.group("name"),
        row.group("measured"),
        row.group("verdict"),
        row.group("run"),
        isMet);
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }
}
