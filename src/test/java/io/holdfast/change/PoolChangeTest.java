package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The rules of a pool change while it is on sale, for both of two instances.
@ExtendWith(RealServers.class)
class PoolChangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static TestServers servers;
  private static Service other;
  private static Api api;
  private static Api there;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    other = RealServers.start(given, Map.of());
    api = Api.of(service);
    there = Api.of(other);
    rows = Rows.of(given);
  }

  @AfterAll
  static void close() {
    other.close();
  }

  @Test
  @Requirement("AU-11")
  void a_closed_sale_takes_no_hold_on_any_instance_and_is_opened_again() {
    var pool = api.row(4, "{}");
    var held = there.hold(pool, "ann", "A-1");

    assertThat(change(pool, "{\"closed\":true}").statusCode()).isEqualTo(200);
    var token = Api.token();
    var refused = there.place(pool, token, "ben", "A-2");
    var best =
        there.post(
            "/v1/pools/" + pool + "/holds",
            Api.token(),
            "{\"requester\":\"ben\",\"bestAvailable\":2}");
    var sold = there.confirm(held, Api.token(), "ann", "order-1");
    var shown = Http.json(there.get("/v1/pools/" + pool));
    assertThat(change(pool, "{\"closed\":false}").statusCode()).isEqualTo(200);

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("409sales-closed");
    assertThat(best.statusCode() + Api.code(best)).isEqualTo("409sales-closed");
    assertThat(sold.statusCode()).as("holds that were placed before go on").isEqualTo(200);
    assertThat(shown.get("closed").asBoolean()).isTrue();
    var replayed = there.place(pool, token, "ben", "A-2");
    assertThat(replayed.body()).as("the refusal is stored").isEqualTo(refused.body());
    assertThat(Api.isReplay(replayed)).isTrue();
    assertThat(there.place(pool, Api.token(), "ben", "A-2").statusCode()).isEqualTo(201);
  }

  @Test
  void holds_are_placed_between_the_times_of_the_sale_only() {
    var pool = api.pool(3);
    var tomorrow = Instant.now().plus(Duration.ofDays(1));
    var yesterday = Instant.now().minus(Duration.ofDays(1));

    change(pool, "{\"salesFrom\":\"%s\"}".formatted(tomorrow));
    var early = there.place(pool, Api.token(), "ann", "A-1");
    change(pool, "{\"salesFrom\":\"none\",\"salesUntil\":\"%s\"}".formatted(yesterday));
    var late = there.place(pool, Api.token(), "ann", "A-1");
    change(pool, "{\"salesFrom\":\"%s\",\"salesUntil\":\"%s\"}".formatted(yesterday, tomorrow));
    var inTime = there.place(pool, Api.token(), "ann", "A-1");
    var backwards =
        change(pool, "{\"salesFrom\":\"%s\",\"salesUntil\":\"%s\"}".formatted(tomorrow, yesterday));

    assertThat(early.statusCode() + Api.code(early)).isEqualTo("409sales-closed");
    assertThat(late.statusCode() + Api.code(late)).isEqualTo("409sales-closed");
    assertThat(inTime.statusCode()).isEqualTo(201);
    assertThat(backwards.statusCode() + Api.code(backwards)).isEqualTo("400invalid-request");
  }

  @Test
  void bids_reservations_units_and_the_queue_are_closed_too() {
    var stock = Stock.of(api, 5);
    var room = api.pool(2, "{\"waitingRoom\":true}");
    var lot = "lot-" + Api.token();
    var auction = "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1}";
    var closesAt = Instant.now().plus(Duration.ofHours(1));
    api.post("/v1/pools", Api.token(), auction.formatted(lot, closesAt));
    var type = "type-" + Api.token();
    var value = "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":60000}";
    api.post("/v1/reservations", Api.token(), value.formatted(type, "a"));

    for (var pool : new String[] {stock.pool(), room, lot, type}) {
      var closed = change(pool, "{\"closed\":true}");
      assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
    }

    assertClosed(there.post("/v1/pools/" + stock.pool() + "/holds", Api.token(), UNITS));
    assertClosed(there.post("/v1/pools/" + room + "/queue", Api.token(), "{\"requester\":\"a\"}"));
    assertClosed(there.post("/v1/pools/" + lot + "/bids", Api.token(), BID));
    assertClosed(there.post("/v1/reservations", Api.token(), value.formatted(type, "b")));
  }

  private static final String UNITS = "{\"requester\":\"ann\",\"quantity\":1}";
  private static final String BID = "{\"requester\":\"ann\",\"amountCents\":500}";

  private static void assertClosed(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + Api.code(answer))
        .as(answer.body())
        .isEqualTo("409sales-closed");
  }

  @Test
  @Requirement("AU-11")
  void a_new_policy_counts_for_new_holds_of_all_instances_and_running_ones_keep_their_times() {
    var pool = api.pool(30);
    var before = Http.json(there.place(pool, Api.token(), "ann", "A-1"));

    var changed =
        change(
            pool,
            "{\"policy\":{\"leaseSeconds\":60,\"windowSeconds\":90,\"heartbeatSeconds\":30}}");

    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(Http.json(changed).get("policy").get("maxItemsPerHold").asInt())
        .as("what is not named stays")
        .isEqualTo(8);
    assertThat(leaseOf(Http.json(api.place(pool, Api.token(), "ben", "A-2")))).isEqualTo(60);
    Await.until(
        PATIENCE,
        () -> {
          var placed = there.place(pool, Api.token(), "cid", "A-3");
          there.release(Hold.of(placed).id(), Api.token(), "cid");
          return leaseOf(Http.json(placed)) == 60;
        });
    var after = Http.json(there.get("/v1/holds/" + before.get("holdId").asText()));
    for (var field : new String[] {"leaseUntil", "expiresAt", "heartbeatSeconds"}) {
      assertThat(after.get(field)).as(field).isNotNull();
    }
    assertThat(after.get("leaseUntil")).isEqualTo(before.get("leaseUntil"));
    assertThat(after.get("expiresAt")).isEqualTo(before.get("expiresAt"));
  }

  private static long leaseOf(JsonNode hold) {
    var placed = Instant.parse(hold.get("placedAt").asText());
    return Duration.between(placed, Instant.parse(hold.get("leaseUntil").asText())).toSeconds();
  }

  @Test
  void rules_that_do_not_fit_the_pool_are_refused_and_change_nothing() {
    var pool = api.pool(2);
    var before = api.get("/v1/pools/" + pool).body();

    for (var body :
        new String[] {
          "{}",
          "{\"policy\":{\"leaseSeconds\":7200}}",
          "{\"policy\":{\"currency\":\"USD\"}}",
          "{\"policy\":{\"no\":1}}",
          "{\"priceCents\":5}",
          "{\"capacity\":5}",
          "{\"prices\":[{\"priceCents\":5}]}",
          "{\"prices\":[{\"item\":\"A-9\",\"priceCents\":5}]}",
          "{\"salesFrom\":\"soon\"}"
        }) {
      var refused = change(pool, body);
      assertThat(refused.statusCode() + Api.code(refused))
          .as(body + refused.body())
          .isEqualTo("400invalid-request");
    }

    assertThat(api.get("/v1/pools/" + pool).body()).isEqualTo(before);
    assertThat(rows.number("SELECT count(*) FROM pool_change WHERE pool = ?", pool)).isZero();
  }

  @Test
  void a_price_changes_for_items_that_are_not_sold() {
    var pool = api.row(3, "{}");
    var sold = api.hold(pool, "ann", "A-1");
    api.confirm(sold, Api.token(), "ann", "order-1");

    var changed = change(pool, "{\"prices\":[{\"section\":\"A\",\"priceCents\":900}]}");
    change(pool, "{\"prices\":[{\"item\":\"A-2\",\"priceCents\":700}]}");
    var other = there.hold(pool, "ben", "A-2");
    there.confirm(other, Api.token(), "ben", "order-2");

    assertThat(Http.json(changed).get("repriced").asInt()).isEqualTo(2);
    assertThat(prices(pool)).containsExactly("A-1 500", "A-2 700", "A-3 900");
    assertThat(
            rows.texts(
                "SELECT item || ' ' || price_cents FROM commitment WHERE pool = ? ORDER BY item",
                pool))
        .containsExactly("A-1 500", "A-2 700");
    assertThat(
            rows.texts(
                "SELECT array_to_string(items, ' ') FROM pool_change WHERE pool = ? ORDER BY id",
                pool))
        .containsExactly("A-2 A-3", "A-2");
  }

  private static List<String> prices(String pool) {
    return rows.texts(
        "SELECT item || ' ' || price_cents FROM item WHERE pool = ? ORDER BY item", pool);
  }

  @Test
  void each_change_is_on_record_and_published_with_what_was_before() {
    var pool = api.pool(2);
    var token = Api.token();
    var body = "{\"closed\":true,\"policy\":{\"maxItemsPerHold\":2}}";

    var changed = api.patch("/v1/pools/" + pool, token, body);
    var replayed = api.patch("/v1/pools/" + pool, token, body);

    assertThat(Api.isReplay(replayed)).isTrue();
    assertThat(replayed.body()).isEqualTo(changed.body());
    assertThat(
            rows.texts(
                "SELECT concat_ws(' ', kind, changed_by, detail #>> '{before,maxItemsPerHold}',"
                    + " detail #>> '{after,maxItemsPerHold}', detail #>> '{after,closed}')"
                    + " FROM pool_change WHERE pool = ?",
                pool))
        .containsExactly("CHANGED operator 8 2 true");
    var event = new AtomicReference<JsonNode>();
    Await.until(
        PATIENCE,
        () -> {
          var events = Http.json(api.get("/v1/pools/" + pool + "/events"));
          events.forEach(
              each -> {
                if (each.get("type").asText().endsWith("pool.changed")) {
                  event.set(each.get("data"));
                }
              });
          return event.get() != null;
        });
    assertThat(event.get().get("kind").asText()).isEqualTo("CHANGED");
    assertThat(event.get().get("before").toString())
        .isEqualTo("{\"maxItemsPerHold\":8,\"closed\":false}");
    assertThat(event.get().get("after").toString())
        .isEqualTo("{\"maxItemsPerHold\":2,\"closed\":true}");
  }

  @Test
  @Requirement("AU-11")
  void rules_outlive_a_loss_of_redis_and_a_redis_that_was_not_told() {
    var pool = api.pool(3);
    change(pool, "{\"closed\":true}");
    var meta = "{p:%s}:meta".formatted(pool);

    servers.redis(redis -> redis.del(meta));
    var afterLoss = there.place(pool, Api.token(), "ann", "A-1");
    var struck = servers.redis(redis -> redis.hdel(meta, "rules"));
    var renewed = RealServers.start(servers, Map.of());
    try {
      Await.until(PATIENCE, () -> servers.redis(redis -> redis.hexists(meta, "rules")));
    } finally {
      renewed.close();
    }

    assertThat(struck).isEqualTo(1);
    assertThat(afterLoss.statusCode() + Api.code(afterLoss)).isEqualTo("409sales-closed");
    assertThat(Api.code(there.place(pool, Api.token(), "ann", "A-1"))).isEqualTo("sales-closed");
  }

  private static HttpResponse<String> change(String pool, String body) {
    return api.patch("/v1/pools/" + pool, Api.token(), body);
  }
}
