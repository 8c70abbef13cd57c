package io.holdfast.testing;

import io.holdfast.app.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Provides real servers to a test class. A parameter `TestServers` gets databases that belong to
/// the class; a parameter `Service` gets a service that runs on them.
public final class RealServers implements ParameterResolver {
  private static final Namespace OURS = Namespace.create(RealServers.class);

  /// A busy machine must look neither like a lost server nor like overload.
  static final Map<String, Object> PATIENT =
      Map.of("redis.command-timeout", "5s", "holdfast.hold-wait", "5s");

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    return type == TestServers.class || type == Service.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Service.class
        ? service(context)
        : servers(context);
  }

  private static TestServers servers(ExtensionContext context) {
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

  /// The store closes its entries in reverse order: the service before its servers.
  private static Service service(ExtensionContext context) {
    var servers = servers(context);
    return classOf(context)
        .getStore(OURS)
        .getOrComputeIfAbsent(Service.class, _ -> start(servers, Map.of()), Service.class);
  }

  /// Starts another instance on the same servers. The test closes it.
  ///
  /// @param more settings, which override those of the servers
  public static Service start(TestServers servers, Map<String, Object> more) {
    return start(servers.settings(), more);
  }

  private static Service start(Map<String, Object> ofServers, Map<String, Object> more) {
    try {
      var folder = Files.createDirectories(Folders.build().resolve("test-services"));
      var settings = new HashMap<>(ofServers);
      settings.putAll(PATIENT);
      settings.putAll(more);
      settings.put("holdfast.data", Files.createTempDirectory(folder, "data").toString());
      return Service.start(settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ExtensionContext classOf(ExtensionContext context) {
    var found = context;
    while (found.getTestMethod().isPresent()) {
      found = found.getParent().orElseThrow();
    }
    return found;
  }
}
