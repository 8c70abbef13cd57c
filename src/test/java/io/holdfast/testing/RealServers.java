package io.holdfast.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Gives a test real servers: whoever asks for `TestServers` as a parameter shares them with its
/// test class and with nobody else.
public final class RealServers implements ParameterResolver {
  private static final Namespace OURS = Namespace.create(RealServers.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestServers.class;
  }

  @Override
  public TestServers resolveParameter(ParameterContext parameter, ExtensionContext context) {
    var shared =
        context
            .getRoot()
            .getStore(OURS)
            .getOrComputeIfAbsent(
                SharedServers.class, _ -> SharedServers.ofThisRun(), SharedServers.class);
    return classOf(context)
        .getStore(OURS)
        .getOrComputeIfAbsent(TestServers.class, _ -> TestServers.open(shared), TestServers.class);
  }

  private static ExtensionContext classOf(ExtensionContext context) {
    var found = context;
    while (found.getTestMethod().isPresent()) {
      found = found.getParent().orElseThrow();
    }
    return found;
  }
}
