package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program as people run it who have no Redis, and what is left when it is killed.
@Tag("faults")
class WithoutRedisProcessTest {
  private static final String KEY = "key-of-the-operator-in-tests";
  private static final int SEATS = 400;
  private static final int HOLDS_BEFORE_THE_KILL = 60;
  private static final int CALLERS = 4;

  @TempDir Path folder;

  private final Queue<Api.Hold> acknowledged = new ConcurrentLinkedQueue<>();
  private final AtomicInteger next = new AtomicInteger();

  @Test
  void it_starts_no_redis_and_a_hold_that_was_answered_outlives_a_kill() throws Exception {
    String pool;
    try (var process = start()) {
      var run = process.awaitReady();
      assertThat(run.get("intent").asText()).isEqualTo("postgres");
      assertThat(run.get("redis").isNull()).isTrue();
      assertThat(run.get("redisPid").isNull()).isTrue();
      assertThat(HoldfastProcess.processesOf(folder)).noneMatch(line -> line.contains("redis"));
      var api = api(run);
      assertThat(details(api).fieldNames()).toIterable().containsExactly("postgres");

      pool = api.pool(SEATS);
      placeUntilKilled(process, api, pool);
    }
    try (var process = start()) {
      var api = api(process.awaitReady());
      for (var hold : acknowledged) {
        assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
      }
      var seat = Http.json(api.read(acknowledged.peek().id())).get("items").get(0).asText();
      assertThat(api.place(pool, Api.token(), "late", seat).statusCode()).isEqualTo(409);
      var free = "A-" + SEATS;
      assertThat(api.hold(pool, "late", free).fence())
          .isGreaterThan(acknowledged.stream().mapToLong(Api.Hold::fence).max().orElseThrow());
      assertThat(Http.json(api.get("/v1/audit/report")).get("ok").asBoolean()).isTrue();
    }
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
  }

  private HoldfastProcess start() {
    return HoldfastProcess.start(
        folder.resolve("data"),
        Map.of("HOLDFAST_INTENT", "postgres", "HOLDFAST_OPERATOR_KEY", KEY));
  }

  private static Api api(JsonNode run) {
    return new Api(URI.create(run.get("http").asText()), KEY);
  }

  private static JsonNode details(Api api) {
    return Http.json(api.get("/health/readiness")).at("/details/layers/details");
  }

  private void placeUntilKilled(HoldfastProcess process, Api api, String pool)
      throws InterruptedException {
    var enough = new CountDownLatch(HOLDS_BEFORE_THE_KILL);
    for (var caller = 0; caller < CALLERS; caller++) {
      Thread.startVirtualThread(() -> place(api, pool, enough));
    }
    assertThat(enough.await(60, TimeUnit.SECONDS)).as(process.output()).isTrue();
    process.kill();
  }

  private void place(Api api, String pool, CountDownLatch enough) {
    try {
      for (var seat = next.incrementAndGet(); seat < SEATS; seat = next.incrementAndGet()) {
        var placed = api.place(pool, Api.token(), "u" + seat, "A-" + seat);
        if (placed.statusCode() == 201) {
          acknowledged.add(Api.Hold.of(placed));
          enough.countDown();
        }
      }
    } catch (UncheckedIOException e) {
      // The service was killed, as it should be.
    }
  }
}
