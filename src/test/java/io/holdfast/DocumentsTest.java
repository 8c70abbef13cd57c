package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Links and test names in the documents exist.
class DocumentsTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)");
  private static final Pattern LINKED_TEST =
      Pattern.compile("\\[(\\w+Test)\\]\\((\\.\\./src/test/[^)]+)\\)");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)\\b");

  @Test
  void every_link_leads_somewhere() throws IOException {
    for (var document : documents()) {
      var links = LINK.matcher(Files.readString(document)).results().map(found -> found.group(1));
      var folder = document.getParent();

      assertThat(links.filter(link -> !link.contains("://")))
          .as(document.toString())
          .allSatisfy(link -> assertThat(folder.resolve(link)).exists());
    }
  }

  @Test
  void every_test_that_proves_a_promise_is_there() throws IOException {
    var known = tests();
    for (var document : documents()) {
      var named = TEST.matcher(Files.readString(document)).results().map(found -> found.group(1));

      assertThat(named)
          .as(document.toString())
          .allSatisfy(test -> assertThat(known).contains(test));
    }
  }

  @Test
  @Requirement("BR-X-8")
  void every_failure_has_a_bridge_and_every_bridge_a_test() throws IOException {
    var guide = Files.readAllLines(Folders.project().resolve("docs/bridges.md"));
    var rows = guide.stream().filter(line -> line.startsWith("| ") && !line.contains("| Bridge |"));

    assertThat(rows)
        .hasSize(6)
        .allSatisfy(
            row -> assertThat(testsIn(row)).isNotEmpty().allSatisfy(DocumentsTest::assertIs));
  }

  /// Names of linked tests, each with its path.
  private static Map<String, String> testsIn(String row) {
    return LINKED_TEST
        .matcher(row)
        .results()
        .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
  }

  private static void assertIs(String test, String link) {
    assertThat(Folders.project().resolve("docs").resolve(link))
        .hasFileName(test + ".java")
        .exists();
  }

  private static List<Path> documents() throws IOException {
    var project = Folders.project();
    try (var pages = Files.walk(project.resolve("docs"))) {
      return Stream.concat(
              Stream.of(project.resolve("README.md"), project.resolve("gradle/central/README.md")),
              pages.filter(page -> page.toString().endsWith(".md")))
          .filter(page -> !page.endsWith("acceptance.md")) // which may name those of another day
          .toList();
    }
  }

  private static Set<String> tests() throws IOException {
    try (var sources = Files.walk(Folders.project().resolve("src"))) {
      return sources
          .map(source -> source.getFileName().toString())
          .filter(name -> name.endsWith("Test.java"))
          .map(name -> name.substring(0, name.length() - ".java".length()))
          .collect(Collectors.toSet());
    }
  }
}
