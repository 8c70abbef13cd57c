package io.holdfast.app;

import io.holdfast.config.SettingNames;
import io.holdfast.config.Settings;
import io.holdfast.embedded.DataFolder;
import io.holdfast.embedded.EmbeddedServers;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.PropertySource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// What every command needs: the settings, the data folder and the servers. Servers whose addresses
/// are not configured are started here.
record Bootstrap(ApplicationContext context, DataFolder folder, EmbeddedServers servers) {
  static final String REDIS = "redis.uri";
  static final String POSTGRES = "jdbc.url";
  private static final String DEMO = "holdfast.demo";
  private static final String ID_KEY = "holdfast.id-key";

  /// Before files, environment and system properties.
  private static final int WINS = Integer.MAX_VALUE;

  /// Returns before any server is started, with all settings read and checked. `servers.launch()`
  /// starts the servers.
  ///
  /// @param overrides settings that win over the environment
  /// @param onGiveUp gets the reason when a server keeps crashing
  static Bootstrap start(
      ResourceStack resources, Map<String, Object> overrides, Consumer<String> onGiveUp) {
    var context = context(overrides);
    var settings = ServiceSettings.of(settings(context));
    var folder = resources.opened("the data folder", DataFolder.take(settings.data()));
    new RunFile(folder).delete(); // a killed run may have left its own
    var servers =
        resources.opened(
            "embedded servers", new EmbeddedServers(folder, settings.binaries(), onGiveUp));
    setAddresses(context, settings, folder, servers);
    resources
        .opened("the application", context)
        .start(); // checks the settings; it is closed before the servers
    return new Bootstrap(context, folder, servers);
  }

  /// Reads the settings and makes no bean.
  static Settings settings(ApplicationContext context) {
    var environment = context.getEnvironment().start();
    SettingNames.refuseUnknown(environment);
    return new Settings(environment);
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
      ApplicationContext context,
      ServiceSettings settings,
      DataFolder folder,
      EmbeddedServers servers) {
    var given = new Settings(context.getEnvironment());
    var isRedisGiven = given.text(REDIS).isPresent();
    var isPostgresGiven = given.text(POSTGRES).isPresent();
    var isDemo = given.flag(DEMO, !isRedisGiven && !isPostgresGiven);
    var addresses = new HashMap<String, Object>();
    addresses.put("micronaut.server.port", settings.port());
    addresses.put(DEMO, isDemo);
    settings.hostIf(isDemo).ifPresent(host -> addresses.put("micronaut.server.host", host));
    if (!isRedisGiven) {
      addresses.put(REDIS, servers.addRedis());
    }
    if (!isPostgresGiven) {
      addresses.put(POSTGRES, servers.addPostgres());
      setIdKey(addresses, given, folder);
    }
    context.getEnvironment().addPropertySource(PropertySource.of("addresses", addresses, WINS));
  }

  /// The ids of streams are data of Postgres, so an embedded Postgres has their key in its folder.
  private static void setIdKey(Map<String, Object> addresses, Settings given, DataFolder folder) {
    if (given.text(ID_KEY).isEmpty()) {
      addresses.put(ID_KEY, "1:" + folder.secret("id-key"));
    }
  }
}
