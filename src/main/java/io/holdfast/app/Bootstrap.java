package io.holdfast.app;

import io.holdfast.config.Settings;
import io.holdfast.embedded.DataFolder;
import io.holdfast.embedded.EmbeddedServers;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.PropertySource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// What every command stands on: the settings, the data folder, and the servers, which are started
/// here if nobody gave their addresses.
record Bootstrap(ApplicationContext context, DataFolder folder, EmbeddedServers servers) {
  static final String REDIS = "redis.uri";
  static final String POSTGRES = "jdbc.url";
  private static final String DEMO = "holdfast.demo";

  /// The order of what comes before files, environment and system properties.
  private static final int WINS = Integer.MAX_VALUE;

  /// Returns as soon as the servers are on their way; `servers.awaitReady()` tells when they
  /// answer.
  ///
  /// @param overrides settings that win over the environment
  /// @param onGivingUp is told why, when a server keeps crashing
  static Bootstrap lay(
      ResourceStack closer, Map<String, Object> overrides, Consumer<String> onGivingUp) {
    var context = context(overrides);
    context.getEnvironment().start(); // the settings alone, before anything is started for them
    var settings = ServiceSettings.of(new Settings(context.getEnvironment()));
    var folder = closer.opened("the data folder", DataFolder.take(settings.data()));
    new RunFile(folder).delete(); // a run that was killed may have left its own
    var servers =
        closer.opened(
            "embedded servers", new EmbeddedServers(folder, settings.binaries(), onGivingUp));
    setAddresses(context, settings, servers);
    closer
        .opened("the application", context)
        .start(); // while the servers start; closed before they are
    return new Bootstrap(context, folder, servers);
  }

  static ApplicationContext context(Map<String, Object> overrides) {
    return ApplicationContext.builder()
        .deduceEnvironment(false)
        .deduceCloudEnvironment(false)
        .bootstrapEnvironment(false)
        .banner(false)
        .propertySources(PropertySource.of("overrides", overrides, WINS))
        .build();
  }

  private static void setAddresses(
      ApplicationContext context, ServiceSettings settings, EmbeddedServers servers) {
    var given = new Settings(context.getEnvironment());
    var isRedisGiven = given.text(REDIS).isPresent();
    var isPostgresGiven = given.text(POSTGRES).isPresent();
    var isDemo = given.flag(DEMO, !isRedisGiven && !isPostgresGiven);
    var addresses = new HashMap<String, Object>();
    addresses.put("micronaut.server.port", settings.port());
    addresses.put(DEMO, isDemo);
    settings.hostIf(isDemo).ifPresent(host -> addresses.put("micronaut.server.host", host));
    if (!isRedisGiven) {
      addresses.put(REDIS, servers.launchRedis());
    }
    if (!isPostgresGiven) {
      addresses.put(POSTGRES, servers.launchPostgres());
    }
    context.getEnvironment().addPropertySource(PropertySource.of("addresses", addresses, WINS));
  }
}
