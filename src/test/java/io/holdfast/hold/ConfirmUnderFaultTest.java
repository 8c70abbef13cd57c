package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.calm;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.redis.Script;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Redis or Postgres fails during a sale. A commit may take two seconds here.
@ExtendWith(RealServers.class)
class ConfirmUnderFaultTest {
  @TempDir static Path folder;

  private static TestServers servers;
  private static FaultProxy redis;
  private static FaultProxy postgres;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static String steady;

  @BeforeAll
  static void start(TestServers all) {
    servers = all;
    redis = FaultProxy.before(servers.redisUri());
    postgres = FaultProxy.before(servers.jdbcUrl());
    var more =
        Map.<String, Object>of(
            "redis.uri", redis.insteadOf(servers.redisUri()),
            "jdbc.url", postgres.insteadOf(servers.jdbcUrl()),
            "jdbc.statement-timeout", "2s",
            "jdbc.lock-timeout", "1s",
            "jdbc.idle-in-transaction-timeout", "1s",
            "holdfast.pin", "2s",
            "holdfast.max-clock-skew", "100ms");
    service = Instances.start(servers, folder.resolve("data"), more);
    api = Api.of(service);
    rows = Rows.of(servers);
    steady = api.pool(1);
  }

  @AfterEach
  void heal() {
    redis.heal();
    postgres.heal();
    calm(() -> api.get("/v1/pools/" + steady + "/items"));
  }

  @AfterAll
  static void end() {
    service.close();
    redis.close();
    postgres.close();
  }

  @Test
  @Requirement({"RS-S1a", "H-3", "IR-CFR-04", "PC-DP-2", "RP-06"})
  void without_postgres_nothing_is_sold_and_the_same_token_sells_later() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    postgres.cut();
    Await.until(Duration.ofSeconds(10), ConfirmUnderFaultTest::isPostgresKnownToBeAway);

    var away = api.confirm(hold, token, "ann", "order-1");
    var released = api.release(hold.id(), Api.token(), "ann");

    assertThat(away.statusCode()).as(away.body()).isEqualTo(503);
    assertThat(Http.json(away).get("definite").asBoolean()).isTrue();
    assertThat(away.headers().firstValue("Retry-After")).isPresent();
    assertThat(Http.json(away).get("detail").asText())
        .isEqualTo(
            "Postgres, which decides on sales, is away; nothing was done, ask again with the same"
                + " token.");
    assertThat(released.statusCode()).as("who pinned it may have sold it").isEqualTo(503);
    postgres.heal();
    var later = decided(() -> api.confirm(hold, token, "ann", "order-1"));
    assertThat(later.statusCode()).as(later.body()).isEqualTo(200);
    assertThat(commitments(pool)).isEqualTo(1);
  }

  @Test
  @Requirement({"PC-EC-4", "BR-T-1"})
  void a_pin_without_a_commit_is_resolved_and_the_hold_ends_in_time() {
    var pool = api.pool(1, "{\"leaseSeconds\":2,\"heartbeatSeconds\":1}");
    var hold = api.hold(pool, "ann", "A-1");
    postgres.cut();
    api.confirm(hold, Api.token(), "ann", "order-1");
    postgres.heal();
    calm(() -> api.get("/v1/pools/" + pool + "/items")); // which asks both servers

    Await.until(PATIENCE, () -> api.stateOf(pool, "A-1").equals("FREE"));

    assertThat(Http.json(api.read(hold.id())).get("endReason").asText()).isEqualTo("LEASE");
    var next = api.hold(pool, "bob", "A-1");
    assertThat(api.confirm(next, Api.token(), "bob", "order-2").statusCode()).isEqualTo(200);
  }

  @Test
  @Requirement({"RS-S1b", "IR-EC-02", "IR-EC-03"})
  void a_lost_commit_is_resolved_and_answered() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    postgres.dropReplyTo("INSERT INTO consumed_request");
    var asked = CompletableFuture.supplyAsync(() -> api.confirm(hold, token, "ann", "order-1"));

    var first = asked.join();
    var answer = decided(() -> api.confirm(hold, token, "ann", "order-1"));

    assertThat(first.statusCode()).isIn(200, 503);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(commitments(pool)).isEqualTo(1);
  }

  @Test
  @Requirement({"H-4", "IR-EC-05"})
  void the_relay_applies_a_sale_that_redis_has_missed() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    redis.cutAt(Script.named("hold/settle").sha1());

    // the pool may still have a connection to Postgres that an earlier test has cut
    var sale = decided(() -> api.confirm(hold, token, "ann", "order-1"));

    assertThat(sale.statusCode()).as(sale.body()).isEqualTo(200);
    assertThat(redis.isStruck()).isTrue();
    calm(() -> api.get("/v1/pools/" + steady));
    assertThat(decided(() -> api.confirm(hold, token, "ann", "order-1")).body())
        .isEqualTo(sale.body());
    Await.until(
        PATIENCE,
        () ->
            Http.json(api.get("/v1/pools/" + pool))
                .get("counts")
                .toString()
                .equals("{\"free\":1,\"held\":0,\"sold\":1}"));
    assertThat(api.read(hold.id()).body()).isEqualTo(sale.body());
    Await.until(
        PATIENCE, () -> rows.number("SELECT count(*) FROM outbox WHERE pool = ?", pool) == 0);
  }

  @Test
  @Requirement({"BR-L-5", "IR-ST-01", "BR-F-6", "IR-EC-11"})
  void sales_and_their_answers_survive_when_redis_loses_all_data() {
    var pool = api.pool(3);
    var sold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var sale = api.confirm(sold, token, "ann", "order-1");
    var held = api.hold(pool, "ann", "A-2");
    Await.until(PATIENCE, () -> rows.stateOf(held).equals("HELD"));

    servers.redis(RedisCommands::flushall);

    assertThat(decided(() -> api.confirm(sold, token, "ann", "order-1")).body())
        .isEqualTo(sale.body());
    assertThat(Api.code(decided(() -> api.place(pool, Api.token(), "bob", "A-1"))))
        .isEqualTo("resource-unavailable");
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
    assertThat(decided(() -> api.confirm(held, Api.token(), "ann", "order-2")).statusCode())
        .isEqualTo(200);
    assertThat(commitments(pool)).isEqualTo(2);
  }

  @Test
  @Requirement({"IR-CFR-03", "IR-PP-09", "IR-ST-01"})
  void an_invalid_confirm_keeps_its_answer_when_redis_loses_all_data() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var path = "/v1/holds/" + hold.id() + "/confirm";
    var withoutOrder = "{\"requester\":\"ann\",\"fence\":%d}".formatted(hold.fence());
    var refused = api.post(path, token, withoutOrder);
    Await.until(
        PATIENCE,
        () ->
            rows.number(
                    "SELECT count(*) FROM token_result WHERE pool = ? AND action = 'confirm'", pool)
                == 1);

    servers.redis(RedisCommands::flushall);

    var again = decided(() -> api.post(path, token, withoutOrder));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(decided(() -> api.confirm(hold, token, "ann", "order-1"))))
        .isEqualTo("token-collision");
    assertThat(commitments(pool)).isZero();
  }

  @Test
  @Requirement("BR-L-6")
  void a_pin_of_a_lost_epoch_sells_nothing() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD"));
    postgres.delay(java.time.Duration.ofMillis(400));

    var confirmed =
        CompletableFuture.supplyAsync(() -> api.confirm(hold, Api.token(), "ann", "order-1"));
    Await.until(PATIENCE, () -> pinNo(pool, hold) % 2 == 1);
    servers.redis(RedisCommands::flushall);
    postgres.delay(java.time.Duration.ZERO);
    var released = decided(() -> api.release(hold.id(), Api.token(), "ann"));

    var isSold = confirmed.join().statusCode() == 200;
    assertThat(released.statusCode()).as(released.body()).isEqualTo(isSold ? 409 : 200);
    assertThat(commitments(pool)).isEqualTo(isSold ? 1 : 0);
  }

  private static long pinNo(String pool, Hold hold) {
    var record = servers.record(pool, hold.fence());
    return record == null ? 0 : Long.parseLong(record.split("\t")[11]);
  }

  private static long commitments(String pool) {
    return rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool);
  }

  /// A write at the moment of the failure has an unknown result.
  private static boolean isPostgresKnownToBeAway() {
    var layers = Http.json(api.get("/health/readiness")).path("details").path("layers");
    return layers.path("details").path("postgres").asText().equals("DOWN");
  }
}
