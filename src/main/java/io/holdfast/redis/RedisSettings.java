package io.holdfast.redis;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.lettuce.core.RedisURI;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The address of Redis and the timeouts. `uri` may list several nodes of one cluster, separated by
/// commas.
///
/// @param commandTimeout after which the outcome of a command is unknown; longer than a usual pause
///   of either process, short enough that callers do not pile up
/// @param queueSize the commands that may wait for a reply on one connection; more are refused
public record RedisSettings(
    String uri, Duration commandTimeout, Duration connectTimeout, int queueSize) {

  private static final Set<String> SCHEMES = Set.of("redis", "rediss");
  private static final Duration SILENCE_MIN = Duration.ofSeconds(2);

  public RedisSettings {
    InvalidSetting.unlessBetween(
        "redis.command-timeout", Duration.ofMillis(10), Duration.ofSeconds(10), commandTimeout);
    InvalidSetting.unlessBetween(
        "redis.connect-timeout", Duration.ofMillis(50), Duration.ofSeconds(60), connectTimeout);
    InvalidSetting.unlessBetween("redis.queue-size", 16, 1_000_000, queueSize);
    parse(uri);
  }

  static RedisSettings of(Settings settings) {
    return new RedisSettings(
        settings.text("redis.uri").orElseThrow(),
        settings.duration("redis.command-timeout", Duration.ofSeconds(1)),
        settings.duration("redis.connect-timeout", Duration.ofSeconds(2)),
        settings.number("redis.queue-size", 8192));
  }

  List<RedisURI> nodes() {
    var nodes = parse(uri);
    nodes.forEach(node -> node.setTimeout(connectTimeout)); // also the timeout of the handshake
    return nodes;
  }

  /// How long a connection may be silent after a command before it is closed.
  Duration silenceMax() {
    var silence = commandTimeout.multipliedBy(4);
    return silence.compareTo(SILENCE_MIN) > 0 ? silence : SILENCE_MIN;
  }

  /// The message does not show the value, which may have a password.
  private static List<RedisURI> parse(String uri) {
    try {
      return Stream.of(uri.split(",")).map(String::strip).map(RedisSettings::node).toList();
    } catch (IllegalArgumentException e) {
      throw new InvalidSetting(
          "redis.uri",
          "must be redis://host:port or rediss://host:port, or several of them separated by commas,"
              + " with special characters in a password as %XX",
          "something else");
    }
  }

  private static RedisURI node(String text) {
    var uri = URI.create(text);
    if (!SCHEMES.contains(String.valueOf(uri.getScheme()))
        || uri.getHost() == null
        || uri.getFragment() != null) {
      throw new IllegalArgumentException("not the address of a server");
    }
    return RedisURI.create(uri);
  }
}
