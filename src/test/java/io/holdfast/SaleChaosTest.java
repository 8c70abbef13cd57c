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
import io.holdfast.testing.TestServers;
import io.lettuce.core.RedisClient;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sales of seats, units and unique values by two instances, each request of a seat sent up to five
/// times in any order, while Redis is flushed and servers and instances are killed. `./gradlew
/// proofTest -PchaosHolds=100000` is a long run.
@Tag("slow")
class SaleChaosTest {
  private static final int ITEMS_MAX = 100_000;
  private static final int CLIENTS_MAX = 2 * 64;
  private static final int CLIENTS_OF_OTHER_KINDS = 4;
  private static final int ROUNDS = 3;
  private static final int SENDS_MAX = 5;
  private static final int AT_ONCE = 8;
  private static final String POOL = "chaos";
  private static final String POLICY =
      "{\"idempotencyWindowSeconds\":7200,\"maxHoldsPerRequester\":1000}";

  @TempDir Path folder;

  private int purchases;
  private int items;
  private final Api[] apis = new Api[2];
  private final HoldfastProcess[] instances = new HoldfastProcess[2];
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final Map<String, HttpResponse<String>> answers = new ConcurrentHashMap<>();
  private JsonNode servers;

  @Test
  @Requirement({"IR-INV-8", "IR-EC-01", "BR-L-3", "BR-L-5", "BR-K-4"})
  void every_yes_is_a_sale_nothing_is_sold_twice_and_all_answers_of_a_token_are_equal()
      throws Exception {
    assertSalesSurvive(600);
  }

  @Test
  @Tag("proof")
  @Requirement({"IR-INV-8", "IR-EC-01", "BR-L-3", "BR-L-5", "BR-K-4"})
  void thousands_of_purchases_sell_nothing_twice_and_all_answers_of_a_token_are_equal()
      throws Exception {
    assertSalesSurvive(Integer.getInteger("holdfast.test.chaos-holds", 3_000));
  }

  private void assertSalesSurvive(int count) throws Exception {
    purchases = count;
    items = Math.min(ITEMS_MAX, count * 9 / 10);
    try (var keeper = HoldfastProcess.start(folder.resolve("keeper"), Map.of());
        var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      servers = keeper.awaitReady();
      startInstance(0);
      startInstance(1);
      createPool();
      var kinds = new KindsUnderChaos(this::anyApi);
      kinds.createPools();
      var others =
          IntStream.range(0, CLIENTS_OF_OTHER_KINDS)
              .mapToObj(_ -> workers.submit(() -> kinds.runUntil(() -> done.get() >= purchases)))
              .toList();
      var clients =
          IntStream.range(0, Math.min(CLIENTS_MAX, count / (ROUNDS * AT_ONCE)))
              .mapToObj(_ -> workers.submit(this::sellUntilDone))
              .toList();
      try {
        breakThings();
        for (var client : clients) {
          client.get();
        }
        for (var client : others) {
          client.get();
        }
      } finally {
        workers.shutdownNow(); // or clients of a test that failed would go on asking
      }
      kinds.assertRecordsAgree(new Rows(this::connection));
      assertRecordsAgree();
    } finally {
      List.of(instances).forEach(HoldfastProcess::close);
    }
  }

  @AfterEach
  void leaveNoServerBehind() {
    HoldfastProcess.killServersOf(folder);
  }

  private void breakThings() {
    awaitShare(1);
    flush();
    awaitShare(2);
    kill("redisPid");
    awaitShare(3);
    restartInstance(0);
    awaitShare(4);
    kill("postgresPid");
    awaitShare(5);
    restartInstance(1);
    flush();
  }

  private void awaitShare(int sixths) {
    Await.until(Duration.ofMinutes(20), () -> done.get() >= purchases * sixths / 6);
  }

  /// A client has several purchases under way, and sends their requests in any order.
  private void sellUntilDone() {
    while (next.get() < purchases) {
      var numbers = IntStream.range(0, AT_ONCE).map(_ -> next.getAndIncrement()).boxed().toList();
      var holds = new HashMap<Integer, Hold>();
      for (var number : numbers) {
        var placed = place(number);
        if (placed.statusCode() == 201) {
          holds.put(number, Hold.of(placed));
        }
      }
      var sends =
          new ArrayList<>(holds.keySet().stream().flatMap(SaleChaosTest::repeated).toList());
      Collections.shuffle(sends);
      sends.forEach(number -> confirm(number, holds.get(number), false));
      holds.forEach((number, hold) -> confirm(number, hold, true));
      done.addAndGet(AT_ONCE);
    }
  }

  private static java.util.stream.Stream<Integer> repeated(int number) {
    return Collections.nCopies(ThreadLocalRandom.current().nextInt(SENDS_MAX), number).stream();
  }

  private HttpResponse<String> place(int number) {
    return RetryingClient.decided(
        () -> anyApi().place(POOL, "place-" + number, "u" + number, "S-" + number % items));
  }

  /// All that is decided under one token is one answer.
  private void confirm(int number, Hold hold, boolean isLast) {
    var token = "confirm-" + number;
    HttpResponse<String> answer;
    try {
      answer =
          isLast
              ? RetryingClient.decided(() -> confirm(token, number, hold))
              : confirm(token, number, hold);
    } catch (java.io.UncheckedIOException e) {
      return; // the instance is gone, and with it the answer
    }
    if (answer.statusCode() == 503 || Api.code(answer).equals("attempt-collision")) {
      return;
    }
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 404, 409, 410);
    var first = answers.putIfAbsent(token, answer);
    if (first != null) {
      assertThat(answer.body()).isEqualTo(first.body());
      assertThat(answer.statusCode()).isEqualTo(first.statusCode());
    }
  }

  private HttpResponse<String> confirm(String token, int number, Hold hold) {
    return anyApi().confirm(hold, token, "u" + number, "order-" + number);
  }

  private Api anyApi() {
    return apis[ThreadLocalRandom.current().nextInt(apis.length)];
  }

  private void assertRecordsAgree() {
    var rows = new Rows(() -> connection());
    var sold =
        answers.values().stream()
            .filter(answer -> answer.statusCode() == 200)
            .map(answer -> Http.json(answer).get("holdId").asText())
            .collect(Collectors.toSet());
    assertThat(rows.texts("SELECT hold_id FROM commitment WHERE pool = ?", POOL))
        .containsExactlyInAnyOrderElementsOf(sold);
    assertThat(rows.texts("SELECT item FROM commitment WHERE pool = ?", POOL))
        .doesNotHaveDuplicates();
    assertThat(sold).as("most of the purchases succeed").hasSizeGreaterThan(purchases / 2);
    Await.until(
        RetryingClient.PATIENCE,
        () -> rows.number("SELECT count(*) FROM outbox WHERE pool = ?", POOL) == 0);
    var counts = Http.json(apis[0].get("/v1/pools/" + POOL)).get("counts");
    assertThat(counts.get("sold").asInt()).isEqualTo(sold.size());
    var report = apis[1].get("/v1/audit/report");
    assertThat(Http.json(report).get("ok").asBoolean()).as(report.body()).isTrue();
  }

  private java.sql.Connection connection() {
    try {
      return java.sql.DriverManager.getConnection(servers.get("jdbc").asText());
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void createPool() {
    var names = IntStream.range(0, items).mapToObj(i -> "S-" + i).toList();
    assertThat(apis[0].createPool(POOL, names, POLICY).statusCode()).isEqualTo(201);
  }

  private void startInstance(int number) {
    var environment =
        Map.of(
            "REDIS_URI",
            servers.get("redis").asText(),
            "JDBC_URL",
            servers.get("jdbc").asText(),
            "HOLDFAST_OPERATOR_KEY",
            TestServers.KEY,
            "HOLDFAST_RATE_LIMIT",
            "off");
    instances[number] = HoldfastProcess.start(folder.resolve("instance-" + number), environment);
    var run = instances[number].awaitReady();
    apis[number] = new Api(URI.create(run.get("http").asText()), TestServers.KEY);
  }

  private void restartInstance(int number) {
    instances[number].kill();
    startInstance(number);
  }

  private void flush() {
    try (var client = RedisClient.create(servers.get("redis").asText());
        var connection = client.connect()) {
      connection.sync().flushall();
    }
  }

  private void kill(String pid) {
    ProcessHandle.of(servers.get(pid).asLong()).ifPresent(ProcessHandle::destroyForcibly);
  }
}
