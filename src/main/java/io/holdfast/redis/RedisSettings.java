package io.holdfast.redis;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// Where Redis is and how long we wait for it. `uri` may list several nodes of one cluster, divided
/// by commas.
///
/// @param commandTimeout when a command ends as unknown; long enough for a pause of either side,
///   short enough that callers do not pile up
/// @param queueSize commands that may wait for their answer on one connection; more are refused
public record RedisSettings(
    String uri, Duration commandTimeout, Duration connectTimeout, int queueSize) {

  public RedisSettings {
    WrongSetting.unlessBetween(
        "redis.command-timeout", Duration.ofMillis(10), Duration.ofSeconds(10), commandTimeout);
    WrongSetting.unlessBetween(
        "redis.connect-timeout", Duration.ofMillis(50), Duration.ofSeconds(60), connectTimeout);
    WrongSetting.unlessBetween("redis.queue-size", 16, 1_000_000, queueSize);
    parse(uri);
  }

  static RedisSettings of(Settings settings) {
    return new RedisSettings(
        settings.text("redis.uri").orElseThrow(),
        settings.duration("redis.command-timeout", Duration.ofMillis(250)),
        settings.duration("redis.connect-timeout", Duration.ofSeconds(2)),
        settings.number("redis.queue-size", 8192));
  }

  List<RedisURI> nodes() {
    return parse(uri);
  }

  private static List<RedisURI> parse(String uri) {
    try {
      return Stream.of(uri.split(",")).map(String::strip).map(RedisURI::create).toList();
    } catch (IllegalArgumentException e) {
      var rule = "must be redis://host:port, or several of them divided by commas";
      throw new WrongSetting("redis.uri", rule, "something else: " + e.getMessage());
    }
  }
}
