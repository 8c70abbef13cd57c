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
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
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
            "redis.command-timeout", "1s",
            "jdbc.url", postgres.insteadOf(servers.jdbcUrl()),
            "jdbc.statement-timeout", "2s",
            "jdbc.lock-timeout", "2s",
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
  @Requirement("RS-S1b")
  void a_lost_commit_is_resolved_by_its_logical_key_and_a_second_request_sells_nothing() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var key = ",\"logicalKey\":\"order/7\"";
    var byKey = "/v1/operations?pool=" + pool + "&logicalKey=order%2F7";
    assertThat(api.get(byKey).statusCode()).as("before it began").isEqualTo(404);
    var first = confirmAndLoseTheCommit(hold, key);

    assertThat(first.statusCode()).as(first.body()).isEqualTo(503);
    assertThat(Http.json(first).get("definite").asBoolean()).isFalse();
    postgres.heal();
    var resolved = decided(() -> api.get(byKey));
    assertThat(resolved.statusCode()).as(resolved.body()).isEqualTo(200);
    var sale = Http.json(resolved).get("result").get("body");
    assertThat(sale.get("holdId").asText()).isEqualTo(hold.id());
    assertThat(sale.get("state").asText()).isEqualTo("CONFIRMED");
    var second = decided(() -> api.confirm(hold, Api.token(), "ann", "order-1", key));
    assertThat(Http.json(second)).isEqualTo(sale);
    assertThat(commitments(pool)).isEqualTo(1);
  }

  /// Only the sale sends this id of an attempt, in the round trip of its COMMIT. The pool may still
  /// have connections that an earlier test has cut: then nothing arrives, and the call is repeated.
  private static HttpResponse<String> confirmAndLoseTheCommit(Hold hold, String more) {
    var attempt = "attempt-that-is-lost";
    postgres.cutAtReplyTo(attempt);
    var last = new AtomicReference<HttpResponse<String>>();
    Await.until(
        PATIENCE,
        () -> {
          var named = more + ",\"attemptId\":\"" + attempt + "\"";
          last.set(api.confirm(hold, Api.token(), "ann", "order-1", named));
          return postgres.isStruck();
        });
    return last.get();
  }

  @Test
  @Requirement("H-4")
  void a_sale_that_redis_has_missed_is_counted_and_applied_by_the_relay() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var misses = misses();
    redis.cutAt(Script.named("hold/settle").sha1());

    // the pool may still have a connection to Postgres that an earlier test has cut
    var sale = decided(() -> api.confirm(hold, token, "ann", "order-1"));

    assertThat(sale.statusCode()).as(sale.body()).isEqualTo(200);
    assertThat(redis.isStruck()).isTrue();
    assertThat(misses()).isEqualTo(misses + 1);
    calm(() -> api.get("/v1/pools/" + steady));
    assertThat(decided(() -> api.confirm(hold, token, "ann", "order-1")).body())
        .isEqualTo(sale.body());
    Await.until(
        PATIENCE,
        () ->
            Http.json(api.get("/v1/pools/" + pool))
                .get("counts")
                .toString()
                .equals("{\"free\":1,\"held\":0,\"sold\":1,\"blocked\":0}"));
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
  @Requirement({"IR-CFR-03", "IR-PP-09", "IR-ST-01", "DP-EC-01"})
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
  void a_sale_asks_redis_before_its_transaction_and_not_within_it() throws SQLException {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    var next = api.hold(pool, "ann", "A-2");
    var token = Api.token();

    try (var other = servers.connection()) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("SELECT 1 FROM item WHERE pool = '%s' FOR UPDATE".formatted(pool));
      var sale = CompletableFuture.supplyAsync(() -> api.confirm(hold, token, "ann", "order-1"));
      Await.until(PATIENCE, ConfirmUnderFaultTest::isATransactionWaiting);
      redis.cut();
      other.rollback();

      Await.until(PATIENCE, () -> commitments(pool) == 1);
      assertThat(sale.join().statusCode()).as(sale.join().body()).isEqualTo(200);
    }
    var unasked = api.confirm(next, Api.token(), "ann", "order-2");
    assertThat(unasked.statusCode()).as(unasked.body()).isEqualTo(503);
    assertThat(Http.json(unasked).get("definite").asBoolean()).isTrue();
    assertThat(commitments(pool)).isEqualTo(1);
  }

  /// It has begun, and reads the facts before it decides and writes.
  private static boolean isATransactionWaiting() {
    return rows.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND"
                + " wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF item%' AND query NOT"
                + " LIKE '%SKIP LOCKED%'")
        > 0;
  }

  @Test
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

  private static double misses() {
    return Http.get(api.base(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("holdfast_settle_misses_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /// A write at the moment of the failure has an unknown result.
  private static boolean isPostgresKnownToBeAway() {
    var layers = Http.json(api.get("/health/readiness")).path("details").path("layers");
    return layers.path("details").path("postgres").asText().equals("DOWN");
  }
}
