package io.holdfast.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/// Records the results of tests with requirement ids, for `./gradlew acceptance`. A requirement
/// fails with any of its tests, and a skipped test proves nothing.
public final class RequirementListener implements TestExecutionListener {
  private static final List<String> FROM_GOOD_TO_BAD = List.of("passed", "skipped", "failed");

  private final Map<String, String> results = new TreeMap<>();
  private @Nullable TestPlan plan;

  @Override
  public synchronized void testPlanExecutionStarted(TestPlan started) {
    plan = started;
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      note(
          test,
          switch (result.getStatus()) {
            case SUCCESSFUL -> "passed";
            case ABORTED -> "skipped"; // by an assumption
            case FAILED -> "failed";
          });
    } else if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
      noteAllIn(test, "failed");
    }
  }

  @Override
  public synchronized void executionSkipped(TestIdentifier test, String reason) {
    noteAllIn(test, "skipped");
  }

  @Override
  public synchronized void testPlanExecutionFinished(TestPlan plan) {
    var folder = System.getProperty("holdfast.test.acceptance");
    if (folder == null) {
      return; // a repeated run in another environment
    }
    var worker = System.getProperty("org.gradle.test.worker", "0"); // one file for each worker
    try {
      Files.write(
          Files.createDirectories(Path.of(folder)).resolve("results-" + worker + ".tsv"),
          results.entrySet().stream().map(e -> e.getKey() + "\t" + e.getValue()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Records the tests of a class that was skipped or failed before its tests.
  private void noteAllIn(TestIdentifier container, String state) {
    note(container, state);
    if (plan != null) {
      plan.getDescendants(container).forEach(test -> note(test, state));
    }
  }

  private void note(TestIdentifier test, String state) {
    RequiredTests.of(test).forEach(line -> results.merge(line, state, RequirementListener::worse));
  }

  private static String worse(String one, String other) {
    return FROM_GOOD_TO_BAD.indexOf(one) > FROM_GOOD_TO_BAD.indexOf(other) ? one : other;
  }
}
