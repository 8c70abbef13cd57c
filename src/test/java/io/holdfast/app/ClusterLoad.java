package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Holds, heartbeats, releases and sales in several pools, with their answers.
final class ClusterLoad {
  private static final int POOLS = 6;
  private static final int ITEMS = 4_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int SALES_MIN = 15; // else not much was tried
  private static final String POLICY =
      "{\"idempotencyWindowSeconds\":3600,\"maxHoldsPerRequester\":10000}";

  private final List<Service> instances;
  private final Rows rows;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final Set<String> fences = ConcurrentHashMap.newKeySet();
  private final Map<Integer, HttpResponse<String>> placed = new ConcurrentHashMap<>();
  private final Map<String, String> sold = new ConcurrentHashMap<>();
  private final Set<String> released = ConcurrentHashMap.newKeySet();
  private final List<String> pools;

  ClusterLoad(List<Service> instances, Rows rows) {
    this.instances = instances;
    this.rows = rows;
    pools = IntStream.range(0, POOLS).mapToObj(_ -> anyApi().pool(ITEMS, POLICY)).toList();
  }

  List<String> pools() {
    return pools;
  }

  void end() {
    isOver.set(true);
  }

  void awaitMore(int count) {
    var before = done.get();
    Await.until(PATIENCE, () -> done.get() >= before + count);
  }

  boolean isServed(int pool) {
    var path = "/v1/pools/" + pools.get(pool);
    return instances.stream().allMatch(one -> Api.of(one).get(path).statusCode() == 200);
  }

  /// A call after an answer gets a higher fence than that answer.
  void run() {
    var highest = new HashMap<String, Long>();
    while (!isOver.get()) {
      var number = next.getAndIncrement();
      var placing = place(number);
      assertThat(placing.statusCode()).as(placing.body()).isIn(201, 409);
      if (placing.statusCode() == 201) {
        placed.put(number, placing);
        var hold = Hold.of(placing);
        var pool = pool(number);
        assertThat(fences.add(pool + " " + hold.fence())).as(placing.body()).isTrue();
        assertThat(hold.fence()).isGreaterThan(highest.getOrDefault(pool, 0L));
        highest.put(pool, hold.fence());
        goOn(number, hold);
      }
      done.incrementAndGet();
    }
  }

  private HttpResponse<String> place(int number) {
    return RetryingClient.decided(
        () -> anyApi().place(pool(number), "place-" + number, "u" + number, item(number)));
  }

  private void goOn(int number, Hold hold) {
    var requester = "u" + number;
    switch (number % 4) {
      case 0 -> {
        var sale =
            RetryingClient.decided(
                () -> anyApi().confirm(hold, "sell-" + number, requester, "order-" + number));
        assertThat(sale.statusCode()).as(sale.body()).isIn(200, 404, 409);
        if (sale.statusCode() == 200) {
          sold.put(hold.id(), pool(number) + " " + item(number));
        }
      }
      case 1 -> {
        var end =
            RetryingClient.decided(() -> anyApi().release(hold.id(), "free-" + number, requester));
        assertThat(end.statusCode()).as(end.body()).isIn(200, 404, 409);
        if (end.statusCode() == 200) {
          released.add(hold.id());
        }
      }
      case 2 -> {
        var beat =
            RetryingClient.decided(() -> anyApi().heartbeat(hold.id(), requester, hold.fence()));
        assertThat(beat.statusCode()).as(beat.body()).isIn(200, 404, 409);
      }
      default -> {} // stays as it is
    }
  }

  /// Two clients ask for each item.
  private static String item(int number) {
    return "A-" + (1 + number / POOLS / 2 % ITEMS);
  }

  private String pool(int number) {
    return pools.get(number % POOLS);
  }

  void assertSound() {
    assertThat(sold).as("sales").hasSizeGreaterThan(SALES_MIN);
    for (var pool : pools) {
      RetryingClient.calm(() -> anyApi().get("/v1/pools/" + pool + "/holds"));
      Await.until(
          RetryingClient.PATIENCE,
          () -> rows.number("SELECT count(*) FROM outbox WHERE pool = ?", pool) == 0);
      assertRecordsAgree(pool);
    }
    placed.forEach(this::assertStandsOrIsOnRecord);
    var report = RetryingClient.decided(() -> anyApi().get("/v1/audit/report"));
    assertThat(Http.json(report).get("ok").asBoolean()).as(report.body()).isTrue();
  }

  private void assertRecordsAgree(String pool) {
    var commitments =
        rows.texts("SELECT hold_id || ' ' || item FROM commitment WHERE pool = ?", pool);
    var seen =
        sold.entrySet().stream()
            .filter(sale -> sale.getValue().startsWith(pool + " "))
            .map(sale -> sale.getKey() + sale.getValue().substring(pool.length()))
            .toList();
    assertThat(commitments).containsExactlyInAnyOrderElementsOf(seen);
    assertThat(commitments.stream().map(line -> line.replaceFirst(".* ", "")))
        .doesNotHaveDuplicates();
    var held = "SELECT unnest(items) FROM hold WHERE pool = ? AND state = 'HELD'";
    Await.until(
        RetryingClient.PATIENCE,
        () -> itemsIn(pool, "HELD").equals(new HashSet<>(rows.texts(held, pool))));
    assertThat(rows.texts(held, pool)).doesNotHaveDuplicates();
    assertThat(itemsIn(pool, "SOLD"))
        .isEqualTo(
            commitments.stream()
                .map(line -> line.replaceFirst(".* ", ""))
                .collect(Collectors.toSet()));
    var ended = "SELECT hold_id FROM hold WHERE pool = ? AND state <> 'RELEASED'";
    assertThat(rows.texts(ended, pool))
        .as("what was released")
        .doesNotContainAnyElementsOf(released);
  }

  private Set<String> itemsIn(String pool, String state) {
    var answer = RetryingClient.decided(() -> anyApi().get("/v1/pools/" + pool + "/items"));
    var items = new HashSet<String>();
    for (var item : Http.json(answer).get("items")) {
      if (item.get("state").asText().equals(state)) {
        items.add(item.get("item").asText());
      }
    }
    return items;
  }

  /// Only undrained data may be lost with a node, and the following epoch is recorded.
  private void assertStandsOrIsOnRecord(int number, HttpResponse<String> first) {
    var again = place(number);
    if (again.body().equals(first.body())) {
      assertThat(again.statusCode()).isEqualTo(201);
      return;
    }
    var lost = Hold.of(first);
    assertThat(rows.stateOf(lost)).as("a drained hold keeps its token").isEqualTo("none");
    assertThat(lost.fence() >> 32)
        .isLessThan(rows.number("SELECT max(epoch) FROM fence_epoch WHERE pool = ?", pool(number)));
  }

  private Api anyApi() {
    return Api.of(instances.get(ThreadLocalRandom.current().nextInt(instances.size())));
  }
}
