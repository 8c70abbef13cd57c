package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// `docs/duplicates.md` says truly on which code the requirements of duplicate prevention are
/// proven: on the guard, on the idempotency keys, or on both.
class GuardPageTest {
  private static final String GUARD = "idempotency.guard";
  private static final Pattern BOTH = Pattern.compile("\\| (?<ids>DP-[^|]+) \\| both \\|");

  @Test
  void the_page_names_the_requirements_that_are_proven_on_more_than_the_guard() throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/duplicates.md"));
    var row = BOTH.matcher(page);
    assertThat(row.find()).isTrue();

    var others = new TreeSet<String>();
    codeOf("DP-").forEach((id, code) -> others.addAll(isGuardAlone(code) ? Set.of() : Set.of(id)));

    assertThat(others).containsExactlyInAnyOrder(row.group("ids").split(", "));
  }

  @Test
  void no_requirement_of_idempotency_keys_is_proven_on_the_guard() {
    assertThat(codeOf("IR-"))
        .isNotEmpty()
        .allSatisfy((_, code) -> assertThat(code).doesNotContain(GUARD));
  }

  /// `program` is a check of the sources of the guard.
  private static boolean isGuardAlone(Set<String> code) {
    return Set.of(GUARD, "program").containsAll(code);
  }

  /// The packages of the tests of each id.
  private static Map<String, Set<String>> codeOf(String prefix) {
    return RequiredTests.all().stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.split("[\t/]"))
        .collect(
            Collectors.groupingBy(
                fields -> fields[0], Collectors.mapping(fields -> fields[1], Collectors.toSet())));
  }
}
