package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Clients that hold, sell, release and give back units of a stock and unique values while others
/// break things. Each repeats a call under its token until it is decided.
final class KindsUnderChaos {
  private static final String STOCK = "chaos-stock";
  private static final String TYPE = "chaos-name";
  private static final int CAPACITY = 60;

  private final Supplier<Api> anyApi;
  private final AtomicLong units = new AtomicLong();
  private final AtomicInteger calls = new AtomicInteger();
  private final Set<String> owned = ConcurrentHashMap.newKeySet();
  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();

  KindsUnderChaos(Supplier<Api> anyApi) {
    this.anyApi = anyApi;
  }

  void createPools() {
    var policy = "{\"idempotencyWindowSeconds\":7200,\"maxHoldsPerRequester\":1000}";
    var stock =
        "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":%d,\"priceCents\":100,\"policy\":%s}"
            .formatted(STOCK, CAPACITY, policy);
    var type =
        "{\"pool\":\"%s\",\"kind\":\"UNIQUE\",\"policy\":{\"idempotencyWindowSeconds\":7200}}"
            .formatted(TYPE);
    assertThat(anyApi.get().post("/v1/pools", "stock", stock).statusCode()).isEqualTo(201);
    assertThat(anyApi.get().post("/v1/pools", "type", type).statusCode()).isEqualTo(201);
  }

  void runUntil(BooleanSupplier isOver) {
    while (!isOver.getAsBoolean()) {
      var call = calls.incrementAndGet();
      if (call % 2 == 0) {
        buyUnits("s" + call);
      } else {
        registerName("n" + call);
      }
    }
  }

  /// Half of what is bought is given back, so that the stock lasts.
  private void buyUnits(String name) {
    var random = ThreadLocalRandom.current();
    var quantity = random.nextInt(1, 4);
    var placed = decided("/v1/pools/" + STOCK + "/holds", name, hold(name, quantity));
    if (placed.statusCode() != 201) {
      assertThat(placed.statusCode()).as(placed.body()).isEqualTo(409);
      return;
    }
    var hold = Hold.of(placed);
    if (random.nextInt(3) == 0) {
      decided("/v1/holds/" + hold.id() + "/release", name + "-r", requester(name));
      return;
    }
    var part = random.nextInt(1, quantity + 1);
    var sale =
        "{\"requester\":\"%s\",\"fence\":%d,\"orderId\":\"%s\",\"quantity\":%d}"
            .formatted(name, hold.fence(), name, part);
    var sold = decided("/v1/holds/" + hold.id() + "/confirm", name + "-c", sale);
    assertThat(sold.statusCode()).as(sold.body()).isIn(200, 404, 409, 410);
    if (sold.statusCode() != 200) {
      return; // the hold was lost with Redis
    }
    units.addAndGet(part);
    if (random.nextBoolean()) {
      var back = "{\"refund\":\"none\",\"quantity\":%d}".formatted(part);
      var path = "/v1/commitments/cm~" + hold.id() + "/void";
      assertThat(decided(path, name + "-v", back).statusCode()).isEqualTo(200);
      units.addAndGet(-part);
    }
  }

  /// Few names, so that clients meet.
  private void registerName(String client) {
    var random = ThreadLocalRandom.current();
    var value = "name-" + random.nextInt(200);
    var body =
        "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":60000,\"correlationId\":\"%s\"}"
            .formatted(TYPE, value, client);
    var reserved = decided("/v1/reservations", client, body);
    if (reserved.statusCode() != 201) {
      assertThat(reserved.statusCode()).as(reserved.body()).isEqualTo(409);
      return;
    }
    var id = Http.json(reserved).get("reservationId").asText();
    if (random.nextInt(3) == 0) {
      decided("/v1/reservations/" + id + "/release", client + "-r", "{}");
      return;
    }
    var entity = "{\"entityId\":\"%s\"}".formatted(client);
    var linked = decided("/v1/reservations/" + id + "/confirm", client + "-c", entity);
    assertThat(linked.statusCode()).as(linked.body()).isIn(200, 404, 409, 410);
    if (linked.statusCode() == 200) {
      confirmed.add(id);
      assertThat(owned.add(value)).as("%s has one owner", value).isTrue();
    }
  }

  private static String hold(String requester, int quantity) {
    return "{\"requester\":\"%s\",\"quantity\":%d}".formatted(requester, quantity);
  }

  private static String requester(String name) {
    return "{\"requester\":\"%s\"}".formatted(name);
  }

  private HttpResponse<String> decided(String path, String token, String body) {
    return RetryingClient.decided(
        () -> {
          var answer = anyApi.get().post(path, token, body);
          if (Api.code(answer).equals("attempt-collision")) { // an earlier try has not ended yet
            throw new UncheckedIOException(new IOException(answer.body()));
          }
          return answer;
        });
  }

  void assertRecordsAgree(Rows rows) {
    assertThat(rows.texts("SELECT sold || ' ' || claimed FROM stock WHERE pool = ?", STOCK))
        .containsExactly(units.get() + " 0");
    assertThat(
            rows.texts("SELECT hold_id FROM commitment WHERE pool = ? AND voided_at IS NULL", TYPE))
        .containsExactlyInAnyOrderElementsOf(confirmed);
    Await.until(RetryingClient.PATIENCE, () -> isSettled(rows));
    assertThat(confirmed).as("most names find an owner").hasSizeGreaterThan(20);
  }

  private boolean isSettled(Rows rows) {
    var live =
        rows.number(
            "SELECT coalesce(sum(quantity), 0) FROM hold WHERE pool = ? AND state = 'HELD'", STOCK);
    var counts = Http.json(anyApi.get().get("/v1/pools/" + STOCK)).get("counts");
    return counts.get("sold").asLong() == units.get()
        && counts.get("held").asLong() == live
        && counts.get("free").asLong() == CAPACITY - units.get() - live;
  }
}
