package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
class JournalUnderLoadTest {
  private static final int HOLDS = 2_000;
  private static final int AT_ONCE = 32;

  /// Tokens by which something was asked for, and how each hold ended up.
  private final Map<String, String> asked = new ConcurrentHashMap<>();

  private final Map<Hold, String> seen = new ConcurrentHashMap<>();

  @Test
  @Requirement({"IR-ST-01", "PC-EC-4"})
  void every_line_reaches_postgres_once_and_in_order_and_redis_forgets_it(
      TestServers servers, @TempDir Path data) throws Exception {
    try (var service = Instances.start(servers, data, Map.of())) {
      var pool = Api.of(service).pool(HOLDS, "{\"maxHoldsPerRequester\":10000}");
      placeAndReleaseHalf(service, pool);
      var rows = Rows.of(servers);
      Await.until(PATIENCE, () -> lines(servers, pool) == 0);

      assertThat(
              rows.texts(
                  "SELECT encode(token, 'escape') FROM journal WHERE pool = ?"
                      + " AND action IS NOT NULL",
                  pool))
          .containsExactlyInAnyOrderElementsOf(asked.keySet());
      assertThat(
              rows.texts(
                  "SELECT fence FROM journal WHERE pool = ? AND word = 'HELD'"
                      + " ORDER BY recorded_at, stream_seq",
                  pool))
          .isEqualTo(
              seen.keySet().stream().map(Hold::fence).sorted().map(String::valueOf).toList());
      assertThat(rows.texts("SELECT hold_id || ' ' || state FROM hold WHERE pool = ?", pool))
          .containsExactlyInAnyOrderElementsOf(
              seen.entrySet().stream()
                  .map(e -> e.getKey().id() + " " + e.getValue())
                  .collect(Collectors.toSet()));
      assertThat(recordsOf(servers, pool))
          .isEqualTo(seen.values().stream().filter("HELD"::equals).count());
      assertEndedAreReadable(Api.of(service));
    }
  }

  private void placeAndReleaseHalf(Service service, String pool) throws Exception {
    var api = Api.of(service);
    var room = new Semaphore(AT_ONCE);
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls =
          IntStream.rangeClosed(1, HOLDS)
              .mapToObj(number -> workers.submit(() -> use(api, pool, number, room)))
              .toList();
      for (var call : calls) {
        call.get();
      }
    }
  }

  private void use(Api api, String pool, int number, Semaphore room) {
    room.acquireUninterruptibly();
    try {
      var token = Api.token();
      var placed = api.place(pool, token, "anna", "A-" + number);
      assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
      asked.put(token, placed.body());
      var hold = Hold.of(placed);
      seen.put(hold, "HELD");
      if (number % 2 == 0) {
        var releaseToken = Api.token();
        var released = api.release(hold.id(), releaseToken, "anna");
        assertThat(released.statusCode()).as(released.body()).isEqualTo(200);
        asked.put(releaseToken, released.body());
        seen.put(hold, "RELEASED");
      }
    } finally {
      room.release();
    }
  }

  private static long lines(TestServers servers, String pool) {
    return servers.redis(redis -> redis.xlen("{p:%s}:journal".formatted(pool)));
  }

  private static long recordsOf(TestServers servers, String pool) {
    return servers.redis(redis -> redis.hlen("{p:%s}:holds".formatted(pool)));
  }

  private void assertEndedAreReadable(Api api) {
    seen.entrySet().stream()
        .filter(e -> e.getValue().equals("RELEASED"))
        .limit(50)
        .forEach(
            e -> {
              var json = Http.json(api.read(e.getKey().id()));
              assertThat(json.get("state").asText()).isEqualTo("RELEASED");
              assertThat(json.get("fence").asLong()).isEqualTo(e.getKey().fence());
            });
  }
}
