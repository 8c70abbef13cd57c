package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A token that was used before the windows of its pool were changed keeps the window that it had
/// then. The default is 600 seconds.
@ExtendWith(RealServers.class)
class TokenWindowChangeTest {
  private static TestServers servers;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
  }

  @Test
  @Requirement("AU-11")
  void a_longer_window_keeps_tokens_that_are_known() {
    var pool = api.pool(3);
    var token = Api.token();
    var placed = api.place(pool, token, "ann", "A-1");

    change(pool, "{\"policy\":{\"idempotencyWindowSeconds\":1200}}");

    var again = api.place(pool, token, "ann", "A-1");
    assertThat(again.body()).isEqualTo(placed.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(new RedisTokens(servers, pool).window()).isEqualTo(Duration.ofSeconds(1_200));
    assertThat(api.place(pool, Api.token(), "ben", "A-1").statusCode()).isEqualTo(409);
  }

  @Test
  @Requirement("AU-11")
  void a_shorter_window_leaves_known_tokens_the_one_they_had() {
    var pool = api.pool(3);
    var token = Api.token();
    var placed = api.place(pool, token, "ann", "A-1");

    change(pool, "{\"policy\":{\"idempotencyWindowSeconds\":60}}");

    assertThat(new RedisTokens(servers, pool).window()).isEqualTo(Duration.ofSeconds(60));
    age(pool, token, Duration.ofSeconds(120));
    var again = api.place(pool, token, "ann", "A-1");
    var other = api.place(pool, token, "ann", "A-2");
    assertThat(again.body()).as("after two minutes").isEqualTo(placed.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(other.statusCode() + Api.code(other)).isEqualTo("422token-collision");
    age(pool, token, Duration.ofSeconds(481));
    var fresh = api.place(pool, token, "ann", "A-2");
    assertThat(fresh.statusCode()).as("after ten minutes: " + fresh.body()).isEqualTo(201);
  }

  @Test
  @Requirement("AU-11")
  void the_audit_measures_a_token_by_the_window_that_it_had() {
    var pool = api.pool(3);
    var sold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var confirmed = api.confirm(sold, token, "ann", "order-1");

    change(pool, "{\"policy\":{\"commitWindowSeconds\":600,\"idempotencyWindowSeconds\":60}}");

    var check = check("IR-INV-6");
    assertThat(check.get("examined").asLong()).isPositive();
    assertThat(check.get("violations").asLong()).isZero();
    var again = api.confirm(sold, token, "ann", "order-1");
    assertThat(again.body()).isEqualTo(confirmed.body());
    assertThat(Api.isReplay(again)).isTrue();
  }

  private static JsonNode check(String id) {
    var checks = Http.json(api.get("/v1/audit/report")).get("checks");
    return StreamSupport.stream(checks.spliterator(), false)
        .filter(check -> check.get("id").asText().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /// Of a token with a longer window than its pool: in Redis it has its end in two places.
  private static void age(String pool, String token, Duration by) {
    new RedisTokens(servers, pool).lose(token);
    var kept = "{p:%s}:kept".formatted(pool);
    var field = "operator\t" + token;
    var fields = servers.redis(redis -> redis.hget(kept, field)).split("\t", 2);
    var aged = Long.parseLong(fields[0]) - by.toMillis();
    servers.redis(redis -> redis.hset(kept, field, aged + "\t" + fields[1]));
  }

  private static void change(String pool, String body) {
    var changed = api.patch("/v1/pools/" + pool, Api.token(), body);
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
  }
}
