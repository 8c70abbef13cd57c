package io.holdfast.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Writes `docs/acceptance.md`: every requirement, the tests that carry its id, and how they ended
/// in the last runs of `test` and of `proofTest`. A test that was skipped or not run proves
/// nothing. A target of speed has a published figure in the place of a test. With the argument
/// `check` it writes nothing and fails if the page is not current, or if a test carries an id that
/// no requirement has.
public final class AcceptancePage {
  private static final String PASSED = "passed";

  /// States that do not contradict the page: the test may have passed where the page was written.
  private static final Set<String> NOT_TRIED_HERE = Set.of("skipped", RequiredTests.NOT_RUN);

  private static final Pattern LINE =
      Pattern.compile("- \\[.] \\*\\*(?<id>\\S+)\\*\\* (?<text>.+)");
  private static final Pattern DECISION =
      Pattern.compile("\\| (?<id>H-\\d+) \\| (?<text>[^|]+) \\| (?<decision>[^|]+) \\|");

  private AcceptancePage() {}

  public static void main(String[] arguments) throws IOException {
    var requirements =
        requirements(Files.readAllLines(Folders.project().resolve("docs/requirements.md")));
    var declared = new ArrayList<>(RequiredTests.all());
    PublishedFigures.of(Files.readString(Folders.project().resolve("docs/bench.md")))
        .forEach(figure -> declared.add(figure.line()));
    var tests = tests(declared, results());
    refuseUnknown(requirements, tests);
    var page = Folders.project().resolve("docs/acceptance.md");
    if (arguments.length == 0) {
      Files.writeString(page, page(requirements, tests));
      return;
    }
    if (!isCurrent(Files.readString(page), requirements, tests)) {
      fail("docs/acceptance.md is not current; run ./gradlew proof acceptance and commit it");
    }
    var open = tests.keySet().stream().filter(id -> !isProven(tests.get(id))).toList();
    System.out.printf(
        "Requirements that this run alone does not prove, for tests that were skipped or are left"
            + " to proof: %s%n",
        open);
  }

  /// A test that was skipped here, for example without a browser, or that runs only in `proof`, may
  /// have passed where the page was written.
  static boolean isCurrent(
      String text, Map<String, String> requirements, Map<String, Map<String, String>> tests) {
    var elsewhere = new TreeMap<String, Map<String, String>>();
    tests.forEach(
        (id, states) -> {
          elsewhere.put(id, new TreeMap<>(states));
          elsewhere
              .get(id)
              .replaceAll((_, state) -> NOT_TRIED_HERE.contains(state) ? PASSED : state);
        });
    return text.equals(page(requirements, tests)) || text.equals(page(requirements, elsewhere));
  }

  /// The results of the last run of each task.
  private static List<String> results() throws IOException {
    try (var files = Files.walk(Folders.build().resolve("acceptance"))) {
      var lines = new ArrayList<String>();
      for (var file : files.filter(Files::isRegularFile).toList()) {
        lines.addAll(Files.readAllLines(file));
      }
      return lines;
    }
  }

  /// Ids and statements, in the order of the document.
  static Map<String, String> requirements(List<String> document) {
    var found = new LinkedHashMap<String, String>();
    for (var line : document) {
      var requirement = LINE.matcher(line);
      var decision = DECISION.matcher(line);
      if (requirement.matches()) {
        found.put(requirement.group("id"), requirement.group("text"));
      } else if (decision.matches()) {
        found.put(decision.group("id"), decision.group("decision").strip());
      }
    }
    return found;
  }

  /// Tests with their states, by the id they carry.
  ///
  /// @param declared every test that carries an id, as not run
  /// @param results the results of the tests that were run; a result of an undeclared test is stale
  static Map<String, Map<String, String>> tests(List<String> declared, List<String> results) {
    var found = new TreeMap<String, Map<String, String>>();
    for (var line : declared) {
      var field = line.split("\t");
      found.computeIfAbsent(field[0], _ -> new TreeMap<>()).put(field[1], field[2]);
    }
    for (var line : results) {
      var field = line.split("\t");
      found.getOrDefault(field[0], new TreeMap<>()).replace(field[1], field[2]);
    }
    return found;
  }

  static String page(Map<String, String> requirements, Map<String, Map<String, String>> tests) {
    var rows = new ArrayList<String>();
    var done = 0;
    for (var requirement : requirements.entrySet()) {
      var proofs = tests.getOrDefault(requirement.getKey(), Map.of());
      var state = state(proofs);
      done += state.equals("done") ? 1 : 0;
      rows.add(
          "| %s | %s | %s | %s | %s |"
              .formatted(
                  requirement.getKey(),
                  requirement.getValue().replace("|", "\\|"),
                  names(proofs, 1, "<br>"),
                  names(proofs, 0, ", "),
                  state));
    }
    return """
    # Acceptance

    %d of %d requirements are proven by a test that passes. Open: %d.
    Made by `./gradlew acceptance` of [requirements.md](requirements.md) and the last runs of `check` and `proof`.
    *Code* names the packages whose code the tests run: `redis` also stands for the scripts, `program` for the installed program.
    `bench` is a figure of [bench.md](bench.md#targets-of-the-requirements) in the place of a test; one that misses its target proves nothing.

    | id | statement | test | code | state |
    |---|---|---|---|---|
    %s
    """
        .formatted(done, requirements.size(), requirements.size() - done, String.join("\n", rows));
  }

  /// The packages (part 0) or the names (part 1) of tests.
  private static String names(Map<String, String> proofs, int part, String between) {
    return proofs.keySet().stream()
        .map(test -> "`" + test.split("/")[part] + "`")
        .distinct()
        .sorted()
        .collect(Collectors.joining(between));
  }

  private static String state(Map<String, String> proofs) {
    if (proofs.isEmpty()) {
      return "open";
    }
    return isProven(proofs) ? "done" : "not proven";
  }

  private static boolean isProven(Map<String, String> proofs) {
    return proofs.values().stream().allMatch(PASSED::equals);
  }

  private static void refuseUnknown(
      Map<String, String> requirements, Map<String, Map<String, String>> tests) {
    for (var id : tests.keySet()) {
      if (!requirements.containsKey(id)) {
        fail("tests carry " + id + ", but docs/requirements.md has no such line");
      }
    }
  }

  private static void fail(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }
}
