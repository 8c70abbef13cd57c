package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Thousands of holds while Redis is flushed and killed, and the service is killed. Clients ask
/// again with the same token for as long as they have no answer that counts.
@Tag("slow")
class ChaosTest {
  private static final int CONNECTIONS = 64;
  private static final String POOL = "chaos";
  private static final String POLICY =
      "{\"idempotencyWindowSeconds\":3600,\"maxHoldsPerRequester\":1000}";

  @TempDir Path folder;

  private int calls;
  private int items;
  private volatile Api api = new Api(URI.create("http://localhost:1"), "hf_demo_key");
  private final AtomicInteger answered = new AtomicInteger();
  private final Map<Integer, HttpResponse<String>> granted = new ConcurrentHashMap<>();
  private final Set<Long> fencesSeen = ConcurrentHashMap.newKeySet();

  @Test
  @Requirement({"BR-F-1", "BR-F-6", "IR-ST-01", "PC-EC-4"})
  void no_seat_is_lost_or_held_twice_and_every_answer_stands_or_its_loss_is_on_record()
      throws Exception {
    assertHoldsSurvive(2_000);
  }

  @Test
  @Tag("proof")
  @Requirement({"BR-F-1", "BR-F-6", "IR-ST-01", "PC-EC-4"})
  void ten_thousand_calls_lose_no_seat_and_every_answer_stands_or_its_loss_is_on_record()
      throws Exception {
    assertHoldsSurvive(10_000);
  }

  private void assertHoldsSurvive(int count) throws Exception {
    calls = count;
    items = count * 9 / 10;
    try (var killed = start();
        var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        breakThings(killed, workers);
      } finally {
        workers.shutdownNow(); // or clients of a test that failed would go on asking
      }
    }
  }

  private void breakThings(HoldfastProcess killed, ExecutorService workers) throws Exception {
    var run = ready(killed);
    createPool();
    var next = new AtomicInteger();
    var clients =
        redis( // is connected first, or the clients would be done before the first fault
            run,
            redis -> {
              var begun =
                  IntStream.range(0, CONNECTIONS)
                      .<Future<?>>mapToObj(_ -> workers.submit(() -> placeUntilDone(next)))
                      .toList();
              awaitAnswers(calls / 4);
              redis.flushall();
              return begun;
            });
    awaitAnswers(calls / 2);
    ProcessHandle.of(run.get("redisPid").asLong()).ifPresent(ProcessHandle::destroyForcibly);
    awaitAnswers(3 * calls / 4);
    killed.kill();
    try (var process = start()) {
      var last = ready(process);
      for (var client : clients) {
        client.get();
      }
      assertAnswersStandOrAreOnRecord(workers::submit, rows(last));
      assertLayersAgree(last);
    }
  }

  @AfterEach
  void leaveNoServerBehind() {
    HoldfastProcess.killServersOf(folder);
  }

  private HoldfastProcess start() {
    return HoldfastProcess.start(folder.resolve("data"), Map.of("HOLDFAST_RATE_LIMIT", "off"));
  }

  private JsonNode ready(HoldfastProcess process) {
    var run = process.awaitReady();
    api = new Api(URI.create(run.get("http").asText()), "hf_demo_key");
    return run;
  }

  private void createPool() {
    var names = IntStream.range(0, items).mapToObj(i -> "S-" + i).toList();
    assertThat(api.createPool(POOL, names, POLICY).statusCode()).isEqualTo(201);
  }

  private void awaitAnswers(int count) {
    Await.until(RetryingClient.PATIENCE, () -> answered.get() >= count);
  }

  private void placeUntilDone(AtomicInteger next) {
    for (var call = next.getAndIncrement(); call < calls; call = next.getAndIncrement()) {
      var answer = place(call);
      assertThat(answer.statusCode()).as(answer.body()).isIn(201, 409);
      if (answer.statusCode() == 201) {
        granted.put(call, answer);
        assertThat(fencesSeen.add(Hold.of(answer).fence()))
            .as("a fence is given once: %s", answer.body())
            .isTrue();
      }
      answered.incrementAndGet();
    }
  }

  /// Whatever happens, under the same token; the service may be another one by then.
  private HttpResponse<String> place(int call) {
    return RetryingClient.decided(
        () -> api.place(POOL, "call-" + call, "u" + call, "S-" + call % items));
  }

  /// An answer that was lost is still the answer: only an undrained one may have gone with Redis.
  private void assertAnswersStandOrAreOnRecord(Function<Runnable, Future<?>> executor, Rows rows)
      throws Exception {
    var newest = rows.number("SELECT max(epoch) FROM fence_epoch WHERE pool = ?", POOL);
    var stored = new HashSet<>(rows.texts("SELECT hold_id FROM hold WHERE pool = ?", POOL));
    var room = new Semaphore(CONNECTIONS);
    var checks =
        granted.keySet().stream()
            .map(call -> executor.apply(() -> assertStands(call, stored, newest, room)))
            .toList();
    for (var check : checks) {
      check.get();
    }
  }

  private void assertStands(int call, Set<String> stored, long newestEpoch, Semaphore room) {
    var first = granted.get(call);
    room.acquireUninterruptibly();
    HttpResponse<String> again;
    try {
      again = place(call);
    } finally {
      room.release();
    }
    if (again.body().equals(first.body())) {
      assertThat(again.statusCode()).isEqualTo(201);
      return;
    }
    var lost = Hold.of(first);
    assertThat(stored)
        .as("a drained hold keeps its token: %s", first.body())
        .doesNotContain(lost.id());
    assertThat(lost.fence() >> 32).as("a later opening is on record").isLessThan(newestEpoch);
    if (again.statusCode() == 201) {
      assertThat(fencesSeen.add(Hold.of(again).fence())).isTrue();
    }
  }

  /// Redis' items, the table of holds and the picture that clients get.
  private void assertLayersAgree(JsonNode run) {
    Await.until(RetryingClient.PATIENCE, () -> redis(run, r -> r.xlen(key("journal"))) == 0);
    var rows = rows(run);
    var inPostgres =
        rows.texts(
            "SELECT items[1] || ' ' || fence FROM hold WHERE pool = ? AND state = 'HELD'", POOL);
    assertThat(inPostgres.stream().map(line -> line.replaceFirst(" .*", "")))
        .as("each item is held by at most one hold")
        .doesNotHaveDuplicates();
    assertThat(rows.texts("SELECT fence FROM hold WHERE pool = ?", POOL)).doesNotHaveDuplicates();
    var inRedis =
        redis(
            run,
            r ->
                r.keys(key("item:*")).stream()
                    .map(item -> item.replaceFirst(".*:item:", "") + " " + r.get(item))
                    .toList());
    assertThat(inRedis).containsExactlyInAnyOrderElementsOf(inPostgres);
    var shown = Http.json(api.get("/v1/pools/" + POOL + "/items")).get("items");
    var held = new HashSet<String>();
    shown.forEach(
        item -> {
          if (item.get("state").asText().equals("HELD")) {
            held.add(item.get("item").asText());
          }
        });
    assertThat(held)
        .isEqualTo(
            inRedis.stream().map(line -> line.replaceFirst(" .*", "")).collect(Collectors.toSet()));
    assertThat(shown).hasSize(items);
  }

  private static String key(String suffix) {
    return "{p:%s}:%s".formatted(POOL, suffix);
  }

  private static Rows rows(JsonNode run) {
    return new Rows(
        () -> {
          try {
            return DriverManager.getConnection(run.get("jdbc").asText());
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static <T> T redis(JsonNode run, Function<RedisCommands<String, String>, T> work) {
    try (var client = RedisClient.create(run.get("redis").asText());
        var connection = client.connect()) {
      return work.apply(connection.sync());
    }
  }
}
