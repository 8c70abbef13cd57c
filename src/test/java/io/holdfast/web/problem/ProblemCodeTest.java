package io.holdfast.web.problem;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every problem that the service can answer is in one list, on a page and in the docs.
@ExtendWith(RealServers.class)
class ProblemCodeTest {
  private static final String STATUS = "(?:HttpStatus\\.\\w+|status),\\s*";
  private static final String CODE = "\"([a-z]+(?:-[a-z]+)*)\"";
  private static final Pattern PROBLEM =
      Pattern.compile(
          "(?:(?:refused|pending|conflict|unprocessable|addressProblem)\\(\\s*(?:"
              + STATUS
              + ")?|\\bof\\(\\s*"
              + STATUS
              + ")"
              + CODE);
  private static final Pattern CASE = Pattern.compile("-> " + CODE + ";");
  private static final Pattern REASON =
      Pattern.compile("^  ([A-Z_]+)\\(HttpStatus", Pattern.MULTILINE);
  private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);

  @Test
  @Requirement("AU-15")
  void every_code_in_the_sources_is_in_the_list_and_no_other() throws IOException {
    var used = codesInTheSources();

    assertThat(used).contains("not-held", "overloaded", "rate-limited", "already-reserved");
    assertThat(words())
        .as("add new codes to ProblemCode and docs/problems.md; take out those no longer used")
        .isEqualTo(used);
  }

  @Test
  @Requirement("AU-15")
  void the_docs_list_every_problem_as_the_service_explains_it() throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/problems.md"));
    var listed = new TreeSet<String>();
    ROW.matcher(page).results().forEach(found -> listed.add(found.group(1)));

    assertThat(listed).isEqualTo(words());
    assertThat(ProblemCode.values())
        .allSatisfy(
            code ->
                assertThat(page)
                    .contains(
                        "| `%s` | %s | %s | %s |"
                            .formatted(code.word(), statuses(code), code.meaning(), code.next())));
  }

  @Test
  @Requirement("AU-15")
  void the_type_of_every_problem_leads_to_a_page_that_explains_it(Service service) {
    var refused = Http.get(service.http(), "/v1/pools");
    var type = Http.json(refused).path("type").asText();

    assertThat(type).isEqualTo("/problems/unauthenticated");
    assertThat(ProblemCode.values())
        .allSatisfy(
            code -> {
              var page = Http.get(service.http().resolve("/v1/pools"), "/problems/" + code.word());
              assertThat(page.statusCode()).as(code.word()).isEqualTo(200);
              assertThat(page.headers().firstValue("Content-Type").orElse(""))
                  .startsWith("text/html");
              assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
              assertThat(page.body()).contains(code.word(), code.meaning(), code.next());
            });
  }

  @Test
  void the_list_of_problems_is_a_page_and_an_unknown_problem_is_one(Service service) {
    var list = Http.get(service.http(), "/problems/");
    var unknown = Http.get(service.http(), "/problems/no-such");

    assertThat(list.statusCode()).isEqualTo(200);
    assertThat(list.body()).contains("/problems/not-held", "/problems/overloaded");
    assertThat(unknown.statusCode() + Api.code(unknown)).isEqualTo("404not-known");
  }

  @Test
  void no_text_of_the_list_has_a_meaning_in_html_or_in_a_table() {
    assertThat(ProblemCode.values())
        .allSatisfy(
            code -> assertThat(code.meaning() + code.next()).doesNotContainPattern("[<>&|`]"));
  }

  private static String statuses(ProblemCode code) {
    return String.join(", ", code.statuses().stream().map(String::valueOf).toList());
  }

  private static Set<String> words() {
    var words = new TreeSet<String>();
    Arrays.stream(ProblemCode.values()).forEach(code -> words.add(code.word()));
    return words;
  }

  private static Set<String> codesInTheSources() throws IOException {
    var found = new TreeSet<String>();
    try (var files = Files.walk(Folders.project().resolve("src/main/java"))) {
      for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        found.addAll(codesIn(file));
      }
    }
    return found;
  }

  private static List<String> codesIn(Path file) throws IOException {
    var text = Files.readString(file);
    return switch (file.getFileName().toString()) {
      case "ReservationReason.java" ->
          found(REASON, text).map(name -> name.toLowerCase(Locale.ROOT).replace('_', '-')).toList();
      case "ProblemProcessor.java" -> found(CASE, text).toList();
      default -> text.contains("Problem") ? found(PROBLEM, text).toList() : List.of();
    };
  }

  private static Stream<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1));
  }
}
