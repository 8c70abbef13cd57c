package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptancePageTest {

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
            List.of("X-1\tOne.test\tnot run", "X-1\tOther.test\tnot run"),
            List.of("X-1\tOne.test\t" + one, "X-1\tOther.test\t" + other));

    var page = AcceptancePage.page(Map.of("X-1", "It works."), tests);

    assertThat(page).contains("| X-1 | It works. | `One.test`<br>`Other.test` | " + state + " |");
  }

  @Test
  void a_requirement_without_a_test_is_open_and_counted() {
    var page = AcceptancePage.page(Map.of("X-1", "It works."), Map.of());

    assertThat(page)
        .contains("0 of 1 requirements are proven")
        .contains("| X-1 | It works. |  | open |");
  }

  @Test
  void the_result_of_a_removed_test_proves_nothing() {
    assertThat(AcceptancePage.tests(List.of(), List.of("X-1\tGone.test\tpassed"))).isEmpty();
  }

  @Test
  void a_test_skipped_or_left_to_proof_here_may_have_passed_where_the_page_was_made() {
    var requirements = Map.of("X-1", "It works.");
    var there = AcceptancePage.page(requirements, Map.of("X-1", Map.of("One.test", "passed")));

    assertThat(isCurrentWhenOneTest("skipped", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("not run", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("passed", there, requirements)).isTrue();
    assertThat(isCurrentWhenOneTest("failed", there, requirements)).isFalse();
    assertThat(AcceptancePage.isCurrent(there, requirements, Map.of())).isFalse();
  }

  private static boolean isCurrentWhenOneTest(
      String ended, String page, Map<String, String> requirements) {
    return AcceptancePage.isCurrent(page, requirements, Map.of("X-1", Map.of("One.test", ended)));
  }
}
