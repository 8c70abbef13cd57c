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
  void times_outside_of_1970_to_9999_are_refused_and_a_closed_sale_stays_closed() {
    var pool = api.pool(2);
    change(pool, "{\"closed\":true}");

    for (var field : List.of("salesFrom", "salesUntil")) {
      for (var time :
          List.of(
              "1969-12-31T23:59:59.999Z", "+10000-01-01T00:00:00Z", "+300000-01-01T00:00:00Z")) {
        var token = Api.token();
        var body = "{\"%s\":\"%s\"}".formatted(field, time);
        var refused = api.patch("/v1/pools/" + pool, token, body);
        assertThat(refused.statusCode() + Api.code(refused))
            .as(body + refused.body())
            .isEqualTo("400invalid-request");
        assertThat(refused.body()).contains(field, "none removes the limit");
        assertThat(Api.isReplay(api.patch("/v1/pools/" + pool, token, body))).isTrue();
      }
    }

    assertClosed(there.place(pool, Api.token(), "ann", "A-1"));
    var first = change(pool, "{\"closed\":false,\"salesFrom\":\"1970-01-01T00:00:00Z\"}");
    var last = change(pool, "{\"salesUntil\":\"9999-12-31T23:59:59.999Z\"}");
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(last.statusCode()).as(last.body()).isEqualTo(200);
    assertThat(there.place(pool, Api.token(), "ann", "A-1").statusCode()).isEqualTo(201);
  }

  /// Before times were checked, a row could have them.
  @Test
  void a_pool_whose_row_has_a_sale_before_1970_is_read_and_closed() {
    var pool = api.pool(1);
    rows.change(
        "UPDATE pool SET sales_from = '1950-01-01Z', sales_until = '1960-01-01Z' WHERE pool = ?",
        pool);
    var changed = change(pool, "{\"policy\":{\"maxItemsPerHold\":2}}");

    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(Http.json(changed).get("salesFrom").isNull()).isTrue();
    assertThat(Http.json(changed).get("salesUntil").asText()).isEqualTo("1970-01-01T00:00:00.000Z");
    assertClosed(there.place(pool, Api.token(), "ann", "A-1"));
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
          "{\"salesFrom\":\"soon\"}",
          "{\"policy\":{\"waitingRoom\":true,\"opensAt\":\"soon\"}}",
          "{\"policy\":{\"waitingRoom\":true,\"opensAt\":\"+300000-01-01T00:00:00Z\"}}",
          "{\"policy\":{\"waitingRoom\":true,\"opensAt\":\"1969-12-31T00:00:00Z\"}}"
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
  void an_opening_of_a_raffle_that_is_no_time_is_refused_under_its_token() {
    var pool =
        api.pool(
            1, "{\"waitingRoom\":true,\"order\":\"RAFFLE\",\"opensAt\":\"2999-01-01T00:00:00Z\"}");
    var token = Api.token();
    var body = "{\"policy\":{\"opensAt\":\"tomorrow\"}}";

    var refused = api.patch("/v1/pools/" + pool, token, body);
    var replayed = api.patch("/v1/pools/" + pool, token, body);
    var other = change(pool, body.replace("tomorrow", "2999-01-02T00:00:00Z"));
    var same = change(pool, body.replace("tomorrow", "2999-01-01T00:00:00Z"));

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("400invalid-request");
    assertThat(refused.body()).contains("policy.opensAt");
    assertThat(Api.isReplay(replayed)).isTrue();
    assertThat(replayed.body()).isEqualTo(refused.body());
    assertThat(other.statusCode()).as(other.body()).isEqualTo(400);
    assertThat(other.body()).contains("policy.opensAt", "cannot be changed");
    assertThat(same.statusCode()).as(same.body()).isEqualTo(200);
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
