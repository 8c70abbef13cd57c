package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.TestServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A service is paused between the pin and the commit, as by a long pause of its host, and then
/// resumes. A commit may take one second here.
@Tag("slow")
class PausedServiceTest {
  private static final Duration PIN = Duration.ofSeconds(1);

  @TempDir static Path folder;

  private static HoldfastProcess keeper;
  private static HoldfastProcess paused;
  private static FaultProxy postgres;
  private static JsonNode servers;
  private static Api others;
  private static Api api;
  private static RedisClient redis;

  /// Connected once: the pause has to begin while the sale is still on its way to Postgres.
  private static RedisCommands<String, String> pins;

  @BeforeAll
  static void start() {
    keeper =
        HoldfastProcess.start(
            folder.resolve("keeper"),
            Map.of("HOLDFAST_RATE_LIMIT", "off", "HOLDFAST_OPERATOR_KEY", TestServers.KEY));
    servers = keeper.awaitReady();
    redis = RedisClient.create(servers.get("redis").asText());
    pins = redis.connect().sync();
    others = new Api(URI.create(servers.get("http").asText()), TestServers.KEY);
    var jdbc = servers.get("jdbc").asText();
    postgres = FaultProxy.before(jdbc);
    paused =
        HoldfastProcess.start(
            folder.resolve("paused"),
            Map.of(
                "REDIS_URI",
                servers.get("redis").asText(),
                "JDBC_URL",
                postgres.insteadOf(jdbc),
                "HOLDFAST_OPERATOR_KEY",
                TestServers.KEY,
                "HOLDFAST_MAX_CLOCK_SKEW",
                "100ms",
                "HOLDFAST_PIN",
                PIN.toMillis() + "ms",
                "JDBC_STATEMENT_TIMEOUT",
                "2s",
                "JDBC_IDLE_IN_TRANSACTION_TIMEOUT",
                "4s"));
    api = new Api(URI.create(paused.awaitReady().get("http").asText()), TestServers.KEY);
  }

  @AfterAll
  static void end() {
    redis.shutdown();
    paused.close();
    keeper.close();
    postgres.close();
    HoldfastProcess.killServersOf(folder);
  }

  @Test
  @Requirement("BR-T-11")
  void a_service_that_resumes_after_its_deadline_sells_nothing_and_may_retry() throws Exception {
    var pool = others.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();

    var asked = pauseInConfirm(pool, hold, token);
    Await.moment(Instant.ofEpochMilli(System.currentTimeMillis()).plus(PIN));
    signal("CONT");
    var late = asked.join();

    assertThat(late.statusCode()).as(late.body()).isEqualTo(503);
    assertThat(others.stateOf(pool, "A-1")).isEqualTo("HELD");
    postgres.heal();
    var again = RetryingClient.decided(() -> api.confirm(hold, token, "ann", "order-1"));
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
  }

  @Test
  @Requirement({"BR-F-2", "BR-F-5", "BR-T-6", "BR-X-5"})
  void a_service_that_resumes_after_another_sale_sells_nothing() throws Exception {
    var pool = others.pool(1, "{\"leaseSeconds\":2,\"windowSeconds\":4,\"heartbeatSeconds\":1}");
    var hold = api.hold(pool, "ann", "A-1");

    var asked = pauseInConfirm(pool, hold, Api.token());
    Await.until(RetryingClient.PATIENCE, () -> others.stateOf(pool, "A-1").equals("FREE"));
    var bobs = others.hold(pool, "bob", "A-1");
    var sale = others.confirm(bobs, Api.token(), "bob", "order-2");
    signal("CONT");
    postgres.heal();
    var late = asked.join();

    assertThat(sale.statusCode()).as(sale.body()).isEqualTo(200);
    assertThat(late.statusCode()).as(late.body()).isIn(409, 410, 503);
    assertThat(others.read(hold.id()).body()).contains("\"state\":\"EXPIRED\"");
    assertThat(others.read(bobs.id()).body()).isEqualTo(sale.body());
  }

  /// Completes with the answer of the client after the service resumes.
  private CompletableFuture<HttpResponse<String>> pauseInConfirm(
      String pool, Hold hold, String token) throws Exception {
    postgres.delay(Duration.ofMillis(700));
    var asked = CompletableFuture.supplyAsync(() -> api.confirm(hold, token, "ann", "order-1"));
    Await.until(RetryingClient.PATIENCE, () -> isPinned(pool, hold));
    signal("STOP");
    return asked;
  }

  private boolean isPinned(String pool, Hold hold) {
    var record = pins.hget("{p:%s}:holds".formatted(pool), "" + hold.fence());
    assertThat(record).as("the confirm was not paused before its end").isNotNull();
    return Long.parseLong(record.split("\t")[11]) % 2 == 1;
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(paused.pid())).start().waitFor();
  }
}
