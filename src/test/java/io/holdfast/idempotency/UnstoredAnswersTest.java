package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Answers without a decision are not stored under a token: a corrected request may use the same
/// token.
@ExtendWith(RealServers.class)
class UnstoredAnswersTest {

  private static TestServers servers;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    records = new Records(given, api);
  }

  @Test
  @Requirement({"IR-CFR-04", "IR-ADV-3b"})
  void a_request_without_a_key_or_scope_stores_nothing() {
    var pool = api.pool(1);
    var token = Api.token();
    var watcher = api.as("shop", "audit");
    var buyer = api.as("shop", "hold");

    var stranger = new Api(api.base(), "nobody-has-this-key").place(pool, token, "ann", "A-1");
    var forbidden = watcher.place(pool, token, "ann", "A-1");
    var placed = buyer.place(pool, token, "ann", "A-1");

    assertThat(stranger.statusCode()).isEqualTo(401);
    assertThat(stranger.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    assertThat(forbidden.statusCode()).isEqualTo(403);
    assertThat(Api.code(forbidden)).isEqualTo("forbidden");
    assertThat(placed.statusCode()).isEqualTo(201);
    assertThat(Api.isReplay(placed)).isFalse();
  }

  @Test
  @Requirement("IR-CFR-04")
  void a_request_for_a_missing_pool_stores_nothing() {
    var pool = Api.token();
    var token = Api.token();
    var before = api.place(pool, token, "ann", "A-1");
    api.createPool(pool, List.of("A-1"), "{}");

    var after = api.place(pool, token, "ann", "A-1");

    assertThat(before.statusCode()).isEqualTo(404);
    assertThat(Api.code(before)).isEqualTo("not-known");
    assertThat(after.statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement("IR-CFR-04")
  void an_unreadable_body_stores_nothing() {
    var pool = api.pool(1);
    var token = Api.token();
    var path = "/v1/pools/" + pool + "/holds";

    var broken = api.post(path, token, "{\"requester\":\"ann\",");
    var twice = api.post(path, token, "{\"requester\":\"ann\",\"requester\":\"ben\"}");
    var huge = api.post(path, token, "{\"requester\":\"%s\"}".formatted("x".repeat(64 << 10)));
    var placed = api.place(pool, token, "ann", "A-1");

    assertThat(broken.statusCode()).isEqualTo(400);
    assertThat(twice.statusCode()).isEqualTo(400);
    assertThat(huge.statusCode()).isEqualTo(413);
    assertThat(placed.statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement({"IR-CFR-04", "IR-INV-4"})
  void a_collision_does_not_change_the_first_answer() {
    var pool = api.pool(2);
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");

    var collision = api.place(pool, token, "ann", "A-2");
    var again = api.place(pool, token, "ann", "A-2");
    var replay = api.place(pool, token, "ann", "A-1");

    assertThat(collision.statusCode()).isEqualTo(422);
    assertThat(Api.isReplay(again)).isFalse();
    assertThat(replay.body()).isEqualTo(first.body());
    assertThat(records.words(pool)).containsOnlyOnce("HELD").doesNotContain("COLLISION");
  }

  @Test
  @Requirement({"IR-PP-08", "IR-PP-10", "IR-CFR-04"})
  void without_redis_a_malformed_token_is_refused_and_a_valid_one_stays_unused() {
    var pool = api.pool(1);
    var token = Api.token();
    try (var proxy = FaultProxy.before(servers.redisUri());
        var service = behind(proxy)) {
      var far = Api.of(service);
      assertThat(far.counts(pool)).isEqualTo("1 free, 0 held");
      proxy.cut();

      var malformed = far.place(pool, "\"unfinished", "ann", "A-1");
      var away = far.place(pool, token, "ann", "A-1");
      proxy.heal();
      RetryingClient.calm(() -> far.get("/v1/pools/" + pool));
      var placed = far.place(pool, token, "ann", "A-1");

      assertThat(malformed.statusCode()).isEqualTo(400);
      assertThat(Http.json(malformed).get("field").asText()).isEqualTo("Idempotency-Key");
      assertThat(away.statusCode()).isEqualTo(503);
      assertThat(away.headers().firstValue("Retry-After")).isPresent();
      assertThat(placed.statusCode()).isEqualTo(201);
      assertThat(records.tokens(pool)).hasSize(1);
    }
  }

  private static Service behind(FaultProxy proxy) {
    return RealServers.start(servers, Map.of("redis.uri", proxy.insteadOf(servers.redisUri())));
  }
}
