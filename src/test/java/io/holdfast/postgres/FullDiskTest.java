package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.LogLines;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.SmallDisk;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A real Postgres whose disk is really full: the instance is DEGRADED, logs one line a minute,
/// goes on holding, and goes on selling by itself once there is space.
@ExtendWith(RealServers.class)
class FullDiskTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int ROWS_MAX = 5_000;
  private static final int CALLS = 60;
  private static final int HOLDS = 150;

  /// Lettuce says so when what an earlier test of this JVM has left is collected.
  private static final String OF_OTHER_TESTS = "was not shut down properly";

  private static SmallDisk disk;
  private static Service service;
  private static Api api;

  @BeforeAll
  static void start(TestServers servers) {
    disk = SmallDisk.under(servers);
    service =
        RealServers.start(servers, Map.of("jdbc.url", disk.jdbcUrl(), "holdfast.demo", "true"));
    api = Api.of(service);
  }

  @AfterAll
  static void stop() {
    if (disk != null) {
      if (service != null) {
        service.close();
      }
      disk.close();
    }
  }

  @Test
  void a_full_disk_degrades_the_instance_and_is_one_line_of_the_log() {
    var pool = api.pool(20);
    var before = api.hold(pool, "ann", "A-1");
    var checkouts = new Checkouts(api);
    var paid = api.hold(checkouts.pool(2, "{}"), "ann", "A-1");
    var busy = api.pool(2);
    api.hold(busy, "bob", "A-2"); // loads the pool into Redis, which takes room in Postgres
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(paid, "ann", "late-webhook-3000", Checkouts.PRICE));
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    assertThat(readiness()).isEqualTo("UP UP");
    try (var log = LogLines.ofAll()) {
      var since = System.nanoTime();
      disk.fill();
      awaitRefusal();
      Await.until(SOON, () -> readiness().equals("DEGRADED DISK_FULL"));

      fillJournal(busy);
      var answers = IntStream.range(0, CALLS).mapToObj(_ -> makeKey()).toList();
      var held = api.hold(pool, "ann", "A-2");
      var sale = api.confirm(before, Api.token(), "ann", "order");
      var refused = checkouts.pay(paid, "ann", "ok", Checkouts.PRICE);

      Await.until(SOON, () -> metric("holdfast_journal_lag_seconds") > 1);
      assertThat(answers).allMatch(answer -> answer.statusCode() == 503);
      assertThat(answers).allMatch(answer -> Api.code(answer).equals("storage-failure"));
      assertThat(sale.statusCode()).as(sale.body()).isEqualTo(503);
      assertThat(refused.statusCode()).as(refused.body()).isIn(409, 503);
      assertThat(api.read(held.id()).statusCode()).isEqualTo(200);
      assertThat(Http.get(service.http(), "/prometheus").body())
          .contains("holdfast_link_up{link=\"postgres\"} 0.0");
      var minutes = (int) Duration.ofNanos(System.nanoTime() - since).toMinutes();
      assertThat(log.warnings().stream().filter(line -> !line.contains(OF_OTHER_TESTS)))
          .hasSizeBetween(1, 1 + minutes)
          .allMatch(line -> line.startsWith("The disk of Postgres is full"));
    } finally {
      disk.empty();
    }

    Await.until(SOON, () -> readiness().equals("UP UP"));
    var id = Http.json(begun).get("checkoutId").asText();
    assertThat(checkouts.awaitState(id, "FULFILLED", "COMPENSATED")).isNotBlank();
    Await.until(SOON, () -> makeKey().statusCode() == 201);
    Await.until(SOON, () -> api.confirm(before, Api.token(), "ann", "order").statusCode() == 200);
    Await.until(SOON, () -> metric("holdfast_journal_lag") == 0);
    checkouts.assertNothingIsLost();
  }

  /// Holds go on, and the drain has more to store than fits into half-empty pages.
  private static void fillJournal(String pool) {
    for (var i = 0; i < HOLDS; i++) {
      var hold = api.hold(pool, "ann", "A-1");
      assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
    }
  }

  private static double metric(String name) {
    return Http.get(service.http(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /// Rows still fit into pages that are half empty.
  private static void awaitRefusal() {
    for (var i = 0; i < ROWS_MAX; i++) {
      if (makeKey().statusCode() == 503) {
        return;
      }
    }
    fail("the disk is not full");
  }

  private static HttpResponse<String> makeKey() {
    return api.post("/v1/keys", Api.token(), "{\"caller\":\"shop\",\"scopes\":[\"hold\"]}");
  }

  /// The status, and the state of Postgres.
  private static String readiness() {
    var health = Http.get(service.http(), "/health/readiness");
    var json = Http.json(health);
    assertThat(health.statusCode()).isEqualTo(200);
    return json.get("status").asText() + " " + json.at("/details/layers/details/postgres").asText();
  }
}
