package io.holdfast.redis;

import io.lettuce.core.Range;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// All that one Redis database holds: every key with its type and value, and how many milliseconds
/// it has left.
record Snapshot(Map<String, String> values, Map<String, Long> lives) {
  private static final long ENDLESS = -1;
  private static final Duration TOLERANCE = Duration.ofSeconds(5);
  private static final String MOMENT_IN_MS = "\\b1\\d{12}\\b";

  static Snapshot of(RedisCommands<String, String> redis) {
    var values = new TreeMap<String, String>();
    var lives = new TreeMap<String, Long>();
    for (var key : redis.keys("*")) {
      values.put(key, redis.type(key) + " " + value(redis, key));
      lives.put(key, redis.pttl(key));
    }
    return new Snapshot(values, lives);
  }

  /// What is there after half of every key's life has passed: a life that is set anew from then on
  /// can be told from one that is left alone.
  static Snapshot halfALifeLater(RedisCommands<String, String> redis) {
    of(redis).lives.entrySet().stream()
        .filter(life -> life.getValue() != ENDLESS)
        .forEach(life -> redis.pexpire(life.getKey(), life.getValue() / 2));
    return of(redis);
  }

  /// The same keys and values, and no life that was prolonged or cut short.
  boolean isUnchangedIn(Snapshot later) {
    return values.equals(later.values)
        && lives.entrySet().stream()
            .allMatch(life -> isSpent(life.getValue(), later.lives.get(life.getKey())));
  }

  /// The same but for moments and lives, which may count from another now.
  boolean isRenewedIn(Snapshot later) {
    return withoutTime().equals(later.withoutTime());
  }

  /// A text in which every moment of these years looks the same.
  static String timeless(String text) {
    return text.replaceAll(MOMENT_IN_MS, "<moment>");
  }

  private static boolean isSpent(long before, long after) {
    return before == ENDLESS
        ? after == ENDLESS
        : after != ENDLESS && after <= before && after >= before - TOLERANCE.toMillis();
  }

  private Snapshot withoutTime() {
    var timeless = new TreeMap<>(values);
    timeless.replaceAll((_, value) -> timeless(value));
    var endless = new TreeMap<>(lives);
    endless.replaceAll((_, life) -> life == ENDLESS ? ENDLESS : 0);
    return new Snapshot(timeless, endless);
  }

  private static String value(RedisCommands<String, String> redis, String key) {
    var type = redis.type(key);
    return switch (type) {
      case "string" -> redis.get(key);
      case "hash" -> new TreeMap<>(redis.hgetall(key)).toString();
      case "set" -> new TreeSet<>(redis.smembers(key)).toString();
      case "zset" -> redis.zrangeWithScores(key, 0, -1).toString();
      case "list" -> redis.lrange(key, 0, -1).toString();
      case "stream" -> redis.xrange(key, Range.unbounded()).toString();
      default -> throw new IllegalStateException(key + " is a " + type);
    };
  }
}
