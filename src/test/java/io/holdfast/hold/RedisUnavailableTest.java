package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.calm;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis or Postgres fails and returns. A command to Redis times out after two seconds here.
@ExtendWith(RealServers.class)
class RedisUnavailableTest {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration AT_ONCE = Duration.ofMillis(150);

  @TempDir static Path folder;

  private static FaultProxy redis;
  private static FaultProxy postgres;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static String steady;

  @BeforeAll
  static void start(TestServers servers) {
    redis = FaultProxy.before(servers.redisUri());
    postgres = FaultProxy.before(servers.jdbcUrl());
    var more =
        Map.<String, Object>of(
            "redis.uri",
            redis.insteadOf(servers.redisUri()),
            "jdbc.url",
            postgres.insteadOf(servers.jdbcUrl()),
            "redis.command-timeout",
            COMMAND_TIMEOUT.toSeconds() + "s",
            "holdfast.hold-wait",
            "30s"); // longer than Redis is silent
    service = Instances.start(servers, folder.resolve("data"), more);
    api = Api.of(service);
    rows = Rows.of(servers);
    steady = api.pool(1);
  }

  @AfterEach
  void heal() {
    redis.heal();
    postgres.heal();
    calm(() -> api.get("/v1/pools/" + steady + "/items")); // which asks both servers
  }

  @AfterAll
  static void end() {
    service.close();
    redis.close();
    postgres.close();
  }

  @Test
  void a_redis_that_is_down_is_reported_at_once_and_definitely() {
    var pool = api.pool(100);
    redis.cut();
    Await.until(PATIENCE, () -> isAway(api.place(pool, Api.token(), "anna", "A-1"), true));

    var tookNanos =
        IntStream.range(0, 50)
            .mapToLong(
                _ -> {
                  var since = System.nanoTime();
                  var answer = api.place(pool, Api.token(), "anna", "A-1");
                  assertThat(isAway(answer, true)).as(answer.body()).isTrue();
                  return System.nanoTime() - since;
                })
            .sorted()
            .toArray();

    assertThat(Duration.ofNanos(tookNanos[25])).isLessThan(AT_ONCE);
    redis.heal();
    var token = Api.token();
    assertThat(decided(() -> api.place(pool, token, "anna", "A-1")).statusCode()).isEqualTo(201);
  }

  @Test
  void a_silent_redis_leaves_the_first_calls_unknown_and_fails_the_next_at_once() {
    var pool = api.pool(100, "{\"maxHoldsPerRequester\":1000}");
    redis.halfOpen();
    var since = System.nanoTime();

    var first =
        IntStream.rangeClosed(1, 60) // enough for the breaker
            .mapToObj(
                number ->
                    CompletableFuture.supplyAsync(
                        () -> api.place(pool, Api.token(), "anna", "A-" + number),
                        Thread::startVirtualThread))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();

    assertThat(Duration.ofNanos(System.nanoTime() - since)).isGreaterThan(COMMAND_TIMEOUT);
    assertThat(first).anyMatch(answer -> isAway(answer, false));
    assertThat(first).allMatch(answer -> isAway(answer, false) || isAway(answer, true));
    var asked = System.nanoTime();
    assertThat(isAway(api.place(pool, Api.token(), "anna", "A-1"), true)).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(COMMAND_TIMEOUT);
    redis.heal();
    var token = Api.token();
    assertThat(decided(() -> api.place(pool, token, "anna", "A-99")).statusCode()).isEqualTo(201);
  }

  @Test
  void without_redis_only_calls_that_postgres_has_recorded_can_be_looked_up() {
    var pool = api.pool(1);
    var sold = api.hold(pool, "anna", "A-1");
    var token = Api.token();
    api.confirm(sold, token, "anna", "order-1");
    redis.cut();
    Await.until(PATIENCE, () -> isAway(api.place(pool, Api.token(), "anna", "A-1"), true));

    var nobodyKnows = api.get("/v1/operations/" + Api.token() + "?pool=" + pool);
    var postgresKnows = api.get("/v1/operations/" + token + "?pool=" + pool);

    assertThat(nobodyKnows.statusCode()).as(nobodyKnows.body()).isEqualTo(503);
    assertThat(nobodyKnows.headers().firstValue("Retry-After")).isPresent();
    assertThat(postgresKnows.statusCode()).isEqualTo(200);
  }

  @Test
  @Requirement({"IR-EC-03", "H-4"})
  void a_lost_reply_is_unknown_and_the_same_token_gets_the_answer() {
    var pool = api.pool(10);
    var token = Api.token();
    redis.dropReplyTo(token);

    var unknown = api.place(pool, token, "anna", "A-1", "A-2");

    assertThat(redis.isStruck()).isTrue();
    assertThat(isAway(unknown, false)).as(unknown.body()).isTrue();
    var known = decided(() -> api.place(pool, token, "anna", "A-1", "A-2"));
    calm(() -> api.get("/v1/pools/" + pool));
    assertThat(known.statusCode()).isEqualTo(201);
    assertThat(known.headers().firstValue("Idempotent-Replayed")).contains("true");
    assertThat(api.place(pool, token, "anna", "A-1", "A-2").body()).isEqualTo(known.body());
    assertThat(api.counts(pool)).endsWith(" 2 held");
    var holds = decided(() -> api.get("/v1/pools/" + pool + "/holds"));
    assertThat(Http.json(holds).findValues("holdId")).as(holds.body()).hasSize(1);
  }

  @Test
  @Requirement("IR-EC-03")
  void a_call_that_did_not_reach_redis_had_no_effect_and_may_be_repeated() {
    var pool = api.pool(10);
    var token = Api.token();
    redis.cutAt(token);

    var unknown = api.place(pool, token, "anna", "A-1");

    assertThat(redis.isStruck()).isTrue();
    assertThat(isAway(unknown, false)).as(unknown.body()).isTrue();
    var known = decided(() -> api.place(pool, token, "anna", "A-1"));
    calm(() -> api.get("/v1/pools/" + pool));
    assertThat(known.statusCode()).isEqualTo(201);
    assertThat(known.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(api.counts(pool)).endsWith(" 1 held");
  }

  @Test
  @Requirement("PC-EC-4")
  void without_postgres_holds_work_and_their_journal_is_drained_later() {
    var pool = api.pool(10);
    var old = api.hold(pool, "anna", "A-9");
    api.release(old.id(), Api.token(), "anna");
    Await.until(PATIENCE, () -> rows.stateOf(old).equals("RELEASED"));
    var hold = api.hold(pool, "anna", "A-1");
    postgres.cut();

    var token = Api.token();
    var placed = api.place(pool, token, "anna", "A-2");
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    assertThat(api.place(pool, token, "anna", "A-2").body()).isEqualTo(placed.body());
    assertThat(api.heartbeat(hold.id(), "anna", hold.fence()).statusCode()).isEqualTo(200);
    assertThat(api.release(hold.id(), Api.token(), "anna").statusCode()).isEqualTo(200);
    assertThat(api.read(Hold.of(placed).id()).statusCode()).isEqualTo(200);
    assertThat(isAway(api.read(old.id()), true)).isTrue();
    assertThat(isAway(api.release(old.id(), Api.token(), "anna"), true)).isTrue();
    assertThat(isAway(api.heartbeat(old.id(), "anna", old.fence()), true)).isTrue();

    postgres.heal();
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("RELEASED"));
    Await.until(PATIENCE, () -> rows.stateOf(Hold.of(placed)).equals("HELD"));
    assertThat(decided(() -> api.read(old.id())).body()).contains("\"state\":\"RELEASED\"");
  }

  @Test
  void a_lost_pool_gets_503_without_both_servers_and_recovers(TestServers servers) {
    var pool = api.pool(10);
    var hold = api.hold(pool, "anna", "A-1");
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD"));
    postgres.cut();
    servers.redis(RedisCommands::flushdb);

    assertThat(isAway(api.place(pool, Api.token(), "anna", "A-2"), true)).isTrue();
    assertThat(isAway(api.read(hold.id()), true)).isTrue();

    postgres.heal();
    var beat = decided(() -> api.heartbeat(hold.id(), "anna", hold.fence()));
    assertThat(beat.statusCode()).as(beat.body()).isEqualTo(200);
  }

  @Test
  void lists_and_snapshots_of_a_pool_get_503_while_redis_is_unavailable() {
    var pool = api.pool(10);
    redis.cut();
    Await.until(PATIENCE, () -> isAway(api.place(pool, Api.token(), "anna", "A-1"), true));

    for (var path : new String[] {"", "/items", "/holds"}) {
      var answer = api.get("/v1/pools/" + pool + path);
      assertThat(isAway(answer, true)).as(path + ": " + answer.body()).isTrue();
    }
  }

  @Test
  void a_reserved_value_is_not_reported_as_free_while_redis_is_unavailable() {
    var type = "type-" + Api.token();
    var body = "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":300000}";
    api.post("/v1/reservations", Api.token(), body.formatted(type, "alice"));
    var sold = api.post("/v1/reservations", Api.token(), body.formatted(type, "bob"));
    var id = Http.json(sold).get("reservationId").asText();
    api.post("/v1/reservations/" + id + "/confirm", Api.token(), "{\"entityId\":\"user-1\"}");
    redis.cut();
    Await.until(PATIENCE, () -> isAway(api.place(steady, Api.token(), "anna", "A-1"), true));

    var reserved = api.get("/v1/reservations?key=" + type + ":alice");
    var confirmed = api.get("/v1/reservations?key=" + type + ":bob");

    assertThat(isAway(reserved, true)).as(reserved.body()).isTrue();
    assertThat(confirmed.statusCode()).as(confirmed.body()).isEqualTo(200);
  }

  private static boolean isAway(HttpResponse<String> answer, boolean definite) {
    return answer.statusCode() == 503
        && answer.headers().firstValue("Retry-After").isPresent()
        && answer.body().contains("\"code\":\"storage-failure\"")
        && answer.body().contains("\"definite\":" + definite);
  }
}
