package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptancePageTest {
  /// Every part of the two targets. Without one of them, a missed target would count as proven.
  private static final List<String> PUBLISHED =
      List.of(
          "BR-L-2 holds a second at 64 connections",
          "BR-L-2 p50 of a hold at 64 connections, ms",
          "BR-L-2 p99 of a hold at 64 connections, ms",
          "BR-L-4 confirms a second at 64 connections",
          "BR-L-4 p50 of a confirm at 64 connections, ms",
          "BR-L-4 p99 of a confirm at 64 connections, ms");

  @Test
  void requirements_are_read_from_lists_and_from_the_table_of_decisions() {
    var document =
        List.of(
            "## A. Something",
            "- [ ] **IR-ST-01** The service keeps one map.",
            "| # | They disagree on | Decided |",
            "| H-1 | a second call | wait, then 409 |");

    assertThat(AcceptancePage.requirements(document))
        .containsExactly(
            Map.entry("IR-ST-01", "The service keeps one map."),
            Map.entry("H-1", "wait, then 409"));
  }

  @ParameterizedTest
  @CsvSource({
    "passed, passed, done",
    "passed, skipped, not proven",
    "failed, passed, not proven",
    "skipped, skipped, not proven",
    "passed, not run, not proven",
  })
  void a_requirement_is_done_only_if_all_its_tests_passed(String one, String other, String state) {
    var tests =
        AcceptancePage.tests(
            List.of("X-1\thold/One.test\tnot run", "X-1\tconfirm/Other.test\tnot run"),
            List.of("X-1\thold/One.test\t" + one, "X-1\tconfirm/Other.test\t" + other));

    var page = AcceptancePage.page(Map.of("X-1", "It works."), tests);

    assertThat(page)
        .contains(
            "| X-1 | It works. | `One.test`<br>`Other.test` | `confirm`, `hold` | " + state + " |");
  }

  @Test
  void a_requirement_without_a_test_is_open_and_counted() {
    var page = AcceptancePage.page(Map.of("X-1", "It works."), Map.of());

    assertThat(page)
        .contains("0 of 1 requirements are proven")
        .contains("| X-1 | It works. |  |  | open |");
  }

  @Test
  void a_figure_that_misses_its_target_proves_nothing() {
    var rows =
        """
        | BR-X-1 | calls a second | 1,234 | >= 1,000 | PASS | [today](bench/today.md) |
        | BR-X-1 | p50, ms | 10.5 | <= 10 | PASS | [today](bench/today.md) |
        | BR-X-2 | p50, ms | 9.5 | <= 10 | PASS | [today](bench/today.md) |
        """;
    var lines = PublishedFigures.of(rows).stream().map(PublishedFigures.Figure::line).toList();

    var page =
        AcceptancePage.page(
            Map.of("BR-X-1", "It is fast.", "BR-X-2", "It answers soon."),
            AcceptancePage.tests(lines, List.of()));

    assertThat(page)
        .contains(
            "| `bench.md, calls a second: 1,234`<br>`bench.md, p50, ms: 10.5` | `bench` | not"
                + " proven |",
            "| BR-X-2 | It answers soon. | `bench.md, p50, ms: 9.5` | `bench` | done |");
  }

  @Test
  void every_published_figure_stands_in_its_run_and_has_the_right_verdict() throws IOException {
    var docs = Folders.project().resolve("docs");

    var figures = PublishedFigures.of(Files.readString(docs.resolve("bench.md")));

    assertThat(figures).map(figure -> figure.id() + " " + figure.name()).isEqualTo(PUBLISHED);
    for (var figure : figures) {
      assertThat(Files.readAllLines(docs.resolve(figure.run())))
          .as(figure.toString())
          .anyMatch(
              line -> line.startsWith("| ") && line.contains("| " + figure.measured() + " |"));
      assertThat(figure.verdict())
          .as(figure.toString())
          .isEqualTo(figure.isMet() ? "PASS" : "MISS");
    }
  }

  @Test
  void the_result_of_a_removed_test_proves_nothing() {
    assertThat(AcceptancePage.tests(List.of(), List.of("X-1\thold/Gone.test\tpassed"))).isEmpty();
  }

  @Test
  void a_test_skipped_or_left_to_proof_here_may_have_passed_where_the_page_was_made() {
    var requirements = Map.of("X-1", "It works.");
    var there = AcceptancePage.page(requirements, Map.of("X-1", Map.of("hold/One.test", "passed")));

    assertThat(isCurrentWhenOneTest("skipped", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("not run", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("passed", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("failed", there, requirements)).isFalse();
    assertThat(AcceptancePage.isCurrent(there, requirements, Map.of())).isFalse();
  }

  private static boolean isCurrentWhenOneTest(
      String ended, String page, Map<String, String> requirements) {
    return AcceptancePage.isCurrent(
        page, requirements, Map.of("X-1", Map.of("hold/One.test", ended)));
  }
}
