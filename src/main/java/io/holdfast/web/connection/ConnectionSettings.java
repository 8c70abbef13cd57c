package io.holdfast.web.connection;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;

/// Limits on connections and on slow clients.
///
/// @param connections open at a time on this instance; the next one is answered 503 and closed
/// @param headerTimeout from the first byte of a request until its header is complete
/// @param bodyTimeout from the header until the body is complete; bytes that arrived extend it by
///   `transferRate`
/// @param writeTimeout how often a client that does not take its response as fast as it is written
///   is held to `transferRate`
/// @param transferRate bytes a second, the least that a client sends of a body or takes of a
///   response
/// @param idleTimeout of a connection without a request
record ConnectionSettings(
    int connections,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration writeTimeout,
    int transferRate,
    Duration idleTimeout) {
  private static final Duration TIMEOUT_MIN = Duration.ofMillis(100);
  private static final Duration TIMEOUT_MAX = Duration.ofHours(1);

  ConnectionSettings {
    InvalidSetting.unlessBetween("holdfast.connections", 1, 1_000_000, connections);
    checkTimeout("holdfast.header-timeout", headerTimeout);
    checkTimeout("holdfast.body-timeout", bodyTimeout);
    checkTimeout("holdfast.write-timeout", writeTimeout);
    InvalidSetting.unlessBetween("holdfast.transfer-rate", 1, 1 << 30, transferRate);
    checkTimeout("holdfast.idle-timeout", idleTimeout);
  }

  static ConnectionSettings of(Settings settings) {
    return new ConnectionSettings(
        settings.number("holdfast.connections", 20_000),
        settings.duration("holdfast.header-timeout", Duration.ofSeconds(10)),
        settings.duration("holdfast.body-timeout", Duration.ofSeconds(20)),
        settings.duration("holdfast.write-timeout", Duration.ofSeconds(30)),
        settings.number("holdfast.transfer-rate", 16 << 10),
        settings.duration("holdfast.idle-timeout", Duration.ofSeconds(60)));
  }

  private static void checkTimeout(String setting, Duration value) {
    InvalidSetting.unlessBetween(setting, TIMEOUT_MIN, TIMEOUT_MAX, value);
  }
}
