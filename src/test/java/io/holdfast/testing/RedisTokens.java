package io.holdfast.testing;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The tokens of a pool in Redis, as `redis-scripts/shared/tokens.lua` keeps them: in buckets, each
/// a hash from `<caller>\t<token>` to `<recorded_at>\t<action>\t<digest>\t<outcome>`. Methods for
/// single tokens use the caller `operator`.
public record RedisTokens(TestServers servers, String pool) {

  /// All stored tokens as `<caller>\t<token>`.
  public List<String> all() {
    return servers.redis(
        redis -> buckets(redis).stream().flatMap(key -> redis.hkeys(key).stream()).toList());
  }

  public Optional<String> entry(String token) {
    return servers.redis(
        redis ->
            buckets(redis).stream()
                .flatMap(key -> Optional.ofNullable(redis.hget(key, field(token))).stream())
                .findFirst());
  }

  public long recordedAt(String token) {
    return Long.parseLong(entry(token).orElseThrow().split("\t")[0]);
  }

  public Duration window() {
    return servers.redis(redis -> Duration.ofMillis(windowMs(redis)));
  }

  /// Stores a token as used now.
  ///
  /// @param entry action, digest and outcome
  public void keep(String token, String entry) {
    servers.redis(
        redis -> {
          var time = redis.time();
          var now = Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
          return put(redis, token, now, entry);
        });
  }

  /// Moves the use of a token into the past.
  public void age(String token, Duration by) {
    var fields = entry(token).orElseThrow().split("\t", 2);
    lose(token);
    servers.redis(redis -> put(redis, token, Long.parseLong(fields[0]) - by.toMillis(), fields[1]));
  }

  /// Returns the number of deleted entries.
  public long lose(String token) {
    return servers.redis(
        redis -> buckets(redis).stream().mapToLong(key -> redis.hdel(key, field(token))).sum());
  }

  /// The memory of a bucket with this many copies of the entry.
  public long bytesOf(String token, int copies) {
    var entry = entry(token).orElseThrow();
    return servers.redis(
        redis -> {
          var key = "{p:%s}:copies".formatted(pool);
          for (var i = 0; i < copies; i++) {
            redis.hset(key, field(Api.token()), entry);
          }
          var bytes = redis.memoryUsage(key);
          redis.del(key);
          return bytes;
        });
  }

  private Boolean put(RedisCommands<String, String> redis, String token, long at, String entry) {
    var bucket = "{p:%s}:tok:%d".formatted(pool, at / windowMs(redis));
    return redis.hset(bucket, field(token), at + "\t" + entry);
  }

  private long windowMs(RedisCommands<String, String> redis) {
    return Long.parseLong(redis.hget("{p:%s}:meta".formatted(pool), "window"));
  }

  /// Latest first, in the order in which the scripts search.
  private List<String> buckets(RedisCommands<String, String> redis) {
    return redis.keys("{p:%s}:tok:*".formatted(pool)).stream().sorted().toList().reversed();
  }

  private static String field(String token) {
    return "operator\t" + token;
  }
}
