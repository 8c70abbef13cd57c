package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A Redis with a large data set loads it before it accepts commands.
class LoadingRedisTest {
  private static final String MANY =
      "for i = 1, 400000 do redis.call('SET', 'key:' .. i, i) end return 'done'";

  @TempDir Path folder;

  @Test
  void a_redis_is_ready_when_it_has_loaded_all_its_data_and_not_before() {
    onRedis(redis -> redis.eval(MANY, ScriptOutputType.STATUS));

    var keys = onRedis(RedisCommands::dbsize);

    assertThat(keys).isEqualTo(400_000);
  }

  /// In a life of its own, which ends with the work.
  private <T> T onRedis(Function<RedisCommands<String, String>, T> work) {
    try (var home = DataFolder.take(folder);
        var servers = new EmbeddedServers(home, Folders.binaries(), _ -> {})) {
      var address = servers.addRedis();
      servers.launch();
      servers.awaitReady();
      try (var client = RedisClient.create(address);
          var connection = client.connect()) {
        return work.apply(connection.sync());
      }
    }
  }
}
