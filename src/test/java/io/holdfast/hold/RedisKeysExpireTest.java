package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// All keys that Redis stores for a hold expire without further calls.
@ExtendWith(RealServers.class)
class RedisKeysExpireTest {
  private static final Set<String> OF_THE_POOL = Set.of("meta", "due", "journal");

  private static TestServers servers;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
  }

  @Test
  @Requirement("BR-L-1")
  void after_a_mixed_load_every_item_hold_and_token_has_an_end() {
    var pool = api.pool(40);

    Together.run(40, i -> mixed(pool, i));

    var lives = lives("{p:" + pool + "}:");
    var kinds = lives.keySet().stream().map(key -> key.split(":")[0]).collect(Collectors.toSet());
    assertThat(kinds).contains("item", "holds", "tok");
    assertThat(lives)
        .allSatisfy(
            (key, seconds) -> {
              if (!OF_THE_POOL.contains(key)) {
                assertThat(seconds).as(key).isPositive();
              }
            });
  }

  private static Object mixed(String pool, int number) {
    var requester = "u" + number % 10;
    var placed = api.place(pool, Api.token(), requester, "A-" + (1 + number % 20));
    if (placed.statusCode() != 201) {
      return placed;
    }
    var hold = Api.Hold.of(placed);
    return switch (number % 4) {
      case 0 -> api.release(hold.id(), Api.token(), requester);
      case 1 -> api.expire(hold.id(), Api.token(), true);
      case 2 -> api.heartbeat(hold.id(), requester, hold.fence());
      default -> api.place(pool, Api.token(), "", "A-1");
    };
  }

  /// How long each key lives, in seconds; below zero for ever. Looked at in one step: an ended hold
  /// that the drainer takes away between two looks would seem to have no end.
  private static Map<String, Long> lives(String prefix) {
    var look =
        """
        local lives = {}
        for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
          lives[#lives + 1] = key .. ' ' .. redis.call('TTL', key)
        end
        return lives
        """;
    List<String> lives =
        servers.redis(
            redis -> redis.eval(look, ScriptOutputType.MULTI, new String[0], prefix + "*"));
    return lives.stream()
        .map(life -> life.substring(prefix.length()).split(" "))
        .collect(Collectors.toMap(life -> life[0], life -> Long.valueOf(life[1])));
  }
}
