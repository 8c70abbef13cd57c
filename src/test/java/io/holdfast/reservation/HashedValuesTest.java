package io.holdfast.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.Range;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// With `HOLDFAST_UNIQUE_KEY`, nothing that is stored has a reserved value.
@ExtendWith(RealServers.class)
class HashedValuesTest {
  private static final String VALUE = "very-secret-alice@example.com";

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Reservations reservations;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    service =
        RealServers.start(servers, Map.of("holdfast.unique-key", "0123456789abcdef0123456789"));
    api = Api.of(service);
    reservations = new Reservations(api);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void a_value_is_unique_and_found_and_stored_nowhere() {
    var type = Reservations.type();
    var id = reservations.reserved(type, VALUE);

    assertThat(reservations.reserve(type, VALUE).statusCode()).isEqualTo(409);
    assertThat(Reservations.id(reservations.find(type + ":" + VALUE))).isEqualTo(id);
    assertThat(reservations.confirm(id, "user-1").statusCode()).isEqualTo(200);
    assertThat(Reservations.id(reservations.find(type + ":" + VALUE))).isEqualTo(id);
    assertThat(Http.json(reservations.read(id)).get("key").asText()).doesNotContain("alice");
    assertThat(api.get("/v1/pools/" + type + "/events").body()).doesNotContain("alice");

    assertThat(inPostgres()).isEmpty();
    assertThat(inRedis()).isEmpty();
  }

  /// The tables that have the value in any row.
  private static List<String> inPostgres() {
    return rows
        .texts(
            """
            SELECT table_name FROM information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
            """)
        .stream()
        .filter(
            table ->
                rows.number(
                        "SELECT count(*) FROM \"%s\" t WHERE t::text LIKE ?".formatted(table),
                        "%very-secret%")
                    > 0)
        .toList();
  }

  /// The keys that have the value in their name or their content.
  private static List<String> inRedis() {
    return servers.redis(
        redis ->
            redis.keys("*").stream()
                .filter(
                    key ->
                        key.contains("very-secret") || content(redis, key).contains("very-secret"))
                .toList());
  }

  private static String content(RedisCommands<String, String> redis, String key) {
    return switch (redis.type(key)) {
      case "hash" -> redis.hgetall(key).toString();
      case "string" -> String.valueOf(redis.get(key));
      case "list" -> redis.lrange(key, 0, -1).toString();
      case "zset" -> redis.zrange(key, 0, -1).toString();
      case "set" -> redis.smembers(key).toString();
      case "none" -> ""; // the index of pools forgets those that rest
      case "stream" -> redis.xrange(key, Range.unbounded()).toString();
      case String other -> throw new IllegalStateException(other);
    };
  }
}
