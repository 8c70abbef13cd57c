package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
@Tag("slow")
class ReadinessTest {
  /// How soon a cut is reported; a hang or a recovery may take a few more probes.
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final Duration IN_TIME = Duration.ofSeconds(10);
  private static final Duration AT_ONCE = Duration.ofMillis(500);

  private static FaultProxy redis;
  private static FaultProxy postgres;
  private static Service service;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path data) {
    redis = FaultProxy.before(servers.redisUri());
    postgres = FaultProxy.before(servers.jdbcUrl());
    service =
        Service.start(
            Map.of(
                "redis.uri", redis.insteadOf(servers.redisUri()),
                "jdbc.url", postgres.insteadOf(servers.jdbcUrl()),
                "holdfast.id-key", TestServers.ID_KEY,
                "holdfast.port", 0,
                "holdfast.data", data.toString()));
  }

  @AfterAll
  static void stop() {
    service.close();
    redis.close();
    postgres.close();
  }

  @AfterEach
  void heal() {
    redis.heal();
    postgres.heal();
    awaitReadiness(IN_TIME, 200, "UP");
  }

  @Test
  void without_redis_the_service_is_degraded_and_stays_in_service() {
    redis.cut();

    awaitReadiness(SOON, 200, "DEGRADED");
    assertLayers("DOWN", "UP");
    assertThat(linkIsUp("redis")).isFalse();
    assertThat(linkIsUp("postgres")).isTrue();
  }

  @Test
  void without_postgres_the_service_is_degraded_and_stays_in_service() {
    postgres.cut();

    awaitReadiness(SOON, 200, "DEGRADED");
    assertLayers("UP", "DOWN");
  }

  @Test
  void without_both_the_service_is_not_ready_and_yet_alive() {
    redis.cut();
    postgres.cut();

    awaitReadiness(SOON, 503, "DOWN");
    assertLayers("DOWN", "DOWN");
    assertThat(Http.get(service.http(), "/health/liveness").statusCode()).isEqualTo(200);
  }

  @Test
  void a_lost_link_is_restored() {
    redis.cut();
    postgres.cut();
    awaitReadiness(SOON, 503, "DOWN");

    postgres.heal();
    awaitReadiness(IN_TIME, 200, "DEGRADED");
    assertLayers("DOWN", "UP");

    redis.heal();
    awaitReadiness(IN_TIME, 200, "UP");
    assertLayers("UP", "UP");
  }

  @Test
  void a_server_that_vanished_without_a_word_is_noticed_too() {
    redis.halfOpen();

    awaitReadiness(SOON, 200, "DEGRADED");
    assertLayers("DOWN", "UP");
  }

  @Test
  void a_server_that_hangs_does_not_hide_that_the_other_one_is_lost() {
    postgres.halfOpen();
    awaitReadiness(IN_TIME, 200, "DEGRADED");

    redis.cut();

    awaitReadiness(IN_TIME, 503, "DOWN");
  }

  @Test
  void tasks_that_block_do_not_delay_the_health_checks() {
    var tasks = service.context().getBean(PeriodicTasks.class);
    var isOver = new CompletableFuture<Duration>();
    for (var i = 0; i < 40; i++) {
      tasks.selfPaced("blocked-" + i, isOver::join).start();
    }
    try {
      redis.cut();

      awaitReadiness(SOON, 200, "DEGRADED");
    } finally {
      isOver.complete(Duration.ofDays(1));
    }
  }

  @Test
  void health_waits_for_no_server() {
    redis.halfOpen();
    postgres.halfOpen();

    var slowest = Duration.ZERO;
    for (var i = 0; i < 50; i++) {
      var before = System.nanoTime();
      Http.get(service.http(), "/health/readiness");
      var took = Duration.ofNanos(System.nanoTime() - before);
      slowest = took.compareTo(slowest) > 0 ? took : slowest;
    }

    assertThat(slowest).isLessThan(AT_ONCE);
  }

  private static void awaitReadiness(Duration patience, int status, String word) {
    Await.until(
        patience,
        () -> {
          var response = Http.get(service.http(), "/health/readiness");
          return response.statusCode() == status && status(Http.json(response)).equals(word);
        });
  }

  private static void assertLayers(String ofRedis, String ofPostgres) {
    var layers =
        Http.json(Http.get(service.http(), "/health/readiness")).path("details").path("layers");
    assertThat(layers.path("details").path("redis").asText()).isEqualTo(ofRedis);
    assertThat(layers.path("details").path("postgres").asText()).isEqualTo(ofPostgres);
  }

  private static boolean linkIsUp(String link) {
    return Http.get(service.http(), "/prometheus")
        .body()
        .contains("holdfast_link_up{link=\"%s\"} 1.0".formatted(link));
  }

  private static String status(JsonNode health) {
    return health.path("status").asText();
  }
}
