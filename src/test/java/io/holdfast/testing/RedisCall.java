package io.holdfast.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Function;

/// Single commands to a Redis server. One client serves all of them and lives as long as the JVM:
/// to shut a client down stops its threads, which takes longer than the command and once never
/// ended.
final class RedisCall {
  private static final RedisClient CLIENT = RedisClient.create();

  private RedisCall() {}

  /// Runs `work` on a new connection.
  static <T> T on(String uri, Function<RedisCommands<String, String>, T> work) {
    try (var connection = CLIENT.connect(RedisURI.create(uri))) {
      return work.apply(connection.sync());
    }
  }
}
