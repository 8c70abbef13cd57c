package io.holdfast.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Lists the tests with requirement ids by their annotations: one line of id and test for each.
final class RequiredTests {
  static final String NOT_RUN = "not run";

  private RequiredTests() {}

  /// All compiled tests, whatever their tags, as not run.
  static List<String> all() {
    var roots = Set.of(Folders.build().resolve("classes/java/test"));
    var request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClasspathRoots(roots)).build();
    var plan = LauncherFactory.create().discover(request);
    return plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .flatMap(RequiredTests::of)
        .map(line -> line + "\t" + NOT_RUN)
        .distinct()
        .toList();
  }

  /// One line for each id of a test, with the name of the test.
  static Stream<String> of(TestIdentifier test) {
    return method(test).stream()
        .flatMap(method -> ids(method).map(id -> id + "\t" + nameOf(method)));
  }

  private static Optional<MethodSource> method(TestIdentifier test) {
    return test.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast);
  }

  /// With the package below `io.holdfast`, which is that of the code under test.
  private static String nameOf(MethodSource method) {
    var tested = method.getJavaClass();
    var feature = tested.getPackageName().replaceFirst("^io\\.holdfast\\.?", "");
    return (feature.isEmpty() ? "program" : feature)
        + "/"
        + tested.getSimpleName()
        + "."
        + method.getMethodName();
  }

  private static Stream<String> ids(MethodSource method) {
    return Stream.of(
            method.getJavaMethod().getAnnotation(Requirement.class),
            method.getJavaClass().getAnnotation(Requirement.class))
        .filter(annotation -> annotation != null)
        .flatMap(annotation -> Stream.of(annotation.value()));
  }
}
