package io.holdfast.ablation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/// Runs the tests that its arguments name, on the class path it was started with. Exits with 0 if
/// all have passed, 1 if some have failed, each on a line that begins with FAILED, and 2 if none
/// was found.
final class TestRun {
  private TestRun() {}

  public static void main(String[] names) {
    var request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(names).map(TestRun::selector).toList())
            .build();
    var listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    var summary = listener.getSummary();
    for (var failure : summary.getFailures()) {
      var failed = failure.getTestIdentifier();
      var where = failed.isTest() ? "" : "outside a test of ";
      System.out.println("FAILED " + where + failed.getDisplayName());
    }
    summary.printFailuresTo(new PrintWriter(System.err, true), 3);
    System.exit(summary.getTestsFoundCount() == 0 ? 2 : summary.getFailures().isEmpty() ? 0 : 1);
  }

  private static DiscoverySelector selector(String name) {
    return name.contains("#") ? selectMethod(name) : selectClass(name);
  }
}
