package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolScripts.Mark;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// An item that is out of sale is neither held nor sold on any of two instances, and an item that
/// is held or sold is not taken out of sale.
@ExtendWith(RealServers.class)
class ItemBlockTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static TestServers servers;
  private static Service service;
  private static Service other;
  private static Api api;
  private static Api there;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service shared) {
    servers = given;
    service = shared;
    other = RealServers.start(given, Map.of());
    api = Api.of(shared);
    there = Api.of(other);
    rows = Rows.of(given);
  }

  @AfterAll
  static void close() {
    other.close();
  }

  @Test
  @Requirement("AU-11")
  void a_blocked_item_is_not_held_until_it_is_back_on_sale() {
    var pool = api.row(4, "{}");

    var blocked = api.block(pool, "A-1", "A-2");
    var refused = there.place(pool, Api.token(), "ann", "A-1");
    var shown = Http.json(there.get("/v1/pools/" + pool)).get("counts");
    var state = there.stateOf(pool, "A-1");
    var adjacent = best(there, pool, 3);
    var free = api.unblock(pool, "A-1", "A-2", "A-3");

    assertThat(blocked.statusCode()).as(blocked.body()).isEqualTo(200);
    assertThat(Http.json(blocked).get("items").toString()).isEqualTo("[\"A-1\",\"A-2\"]");
    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("409resource-unavailable");
    assertThat(state).isEqualTo("BLOCKED");
    assertThat(shown.toString()).isEqualTo("{\"free\":2,\"held\":0,\"sold\":0,\"blocked\":2}");
    assertThat(adjacent.statusCode()).as("two seats are left").isEqualTo(409);
    assertThat(Http.json(free).get("items").toString())
        .as("those that were blocked")
        .isEqualTo("[\"A-1\",\"A-2\"]");
    assertThat(there.stateOf(pool, "A-1")).isEqualTo("FREE");
    assertThat(there.place(pool, Api.token(), "ann", "A-1", "A-2").statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement("AU-11")
  void a_held_or_sold_item_is_not_blocked_and_then_none_is() {
    var pool = api.pool(4);
    there.hold(pool, "ann", "A-1");
    there.confirm(there.hold(pool, "ben", "A-2"), Api.token(), "ben", "order-1");
    var token = Api.token();

    var refused = api.post(path(pool), token, body("A-1", "A-2", "A-3"));

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("409resource-unavailable");
    assertThat(Http.json(refused).get("items").toString()).isEqualTo("[\"A-1\",\"A-2\"]");
    assertThat(states(pool)).containsExactly("A-2 SOLD");
    assertThat(there.place(pool, Api.token(), "cid", "A-3").statusCode()).isEqualTo(201);
    var again = api.post(path(pool), token, body("A-1", "A-2", "A-3"));
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(again.body()).isEqualTo(refused.body());
  }

  @Test
  void unknown_items_and_other_kinds_are_refused() {
    var pool = api.pool(1);
    var stock = "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":5}";
    var units = "units-" + Api.token();
    api.post("/v1/pools", Api.token(), stock.formatted(units));

    var unknown = api.block(pool, "A-1", "A-9");

    assertThat(unknown.statusCode() + Api.code(unknown)).isEqualTo("400invalid-request");
    assertThat(Http.json(unknown).get("items").toString()).isEqualTo("[\"A-9\"]");
    assertThat(api.block(units, "A-1").statusCode()).isEqualTo(400);
    assertThat(api.block("no-such-pool", "A-1").statusCode()).isEqualTo(404);
    assertThat(api.as("buyer", "hold", "commit").block(pool, "A-1").statusCode()).isEqualTo(403);
    assertThat(api.place(pool, Api.token(), "ann", "A-1").statusCode()).isEqualTo(201);
  }

  @Test
  void each_block_is_on_record_and_in_the_events() {
    var pool = api.pool(3);

    api.block(pool, "A-1", "A-2");
    api.block(pool, "A-1", "A-2");
    api.unblock(pool, "A-2");

    assertThat(
            rows.texts(
                "SELECT concat_ws(' ', kind, changed_by, array_to_string(items, ','), reason)"
                    + " FROM pool_change WHERE pool = ? ORDER BY id",
                pool))
        .containsExactly("BLOCKED operator A-1,A-2 a test", "UNBLOCKED operator A-2");
    Await.until(
        PATIENCE,
        () -> {
          var events = api.get("/v1/pools/" + pool + "/events").body();
          return events.contains("\"UNBLOCKED\"") && events.contains("a test");
        });
    assertThatThrownBy(() -> rows.change("DELETE FROM pool_change WHERE pool = ?", pool))
        .hasStackTraceContaining("append");
  }

  @Test
  @Requirement("AU-11")
  void blocks_outlive_a_loss_of_redis() {
    var pool = api.pool(3);
    api.block(pool, "A-1");
    var struck = servers.redis(redis -> redis.del("{p:%s}:meta".formatted(pool)));

    var refused = there.place(pool, Api.token(), "ann", "A-1");

    assertThat(struck).isEqualTo(1);
    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("409resource-unavailable");
    assertThat(Http.json(there.get("/v1/pools/" + pool)).get("counts").get("blocked").asInt())
        .isEqualTo(1);
    assertThat(there.place(pool, Api.token(), "ann", "A-2").statusCode()).isEqualTo(201);
  }

  @Test
  void the_reconciler_brings_a_block_that_redis_has_missed() {
    var pool = api.pool(2);
    api.block(pool, "A-1");
    var meta = "{p:%s}:meta".formatted(pool);
    servers.redis(redis -> redis.hset(meta, "item:A-1", "0"));
    var struck = servers.redis(redis -> redis.hget(meta, "item:A-1"));
    assertThat(struck).isEqualTo("0");

    Await.until(
        PATIENCE, () -> servers.redis(redis -> redis.hget(meta, "item:A-1")).equals("1 BLOCKED"));

    assertThat(there.place(pool, Api.token(), "ann", "A-1").statusCode()).isEqualTo(409);
  }

  /// The process died after the first of the three steps.
  @Test
  void an_abandoned_mark_lapses_and_the_item_is_on_sale_again() {
    var pool = new PoolName(api.pool(2));
    var scripts = service.context().getBean(PoolScripts.class);

    assertThat(scripts.mark(pool, "dead-1", List.of("A-1"))).isInstanceOf(Mark.Marked.class);
    var held = there.place(pool.value(), Api.token(), "ann", "A-1");
    var blocked = api.block(pool.value(), "A-1");
    var meta = "{p:%s}:meta".formatted(pool);
    servers.redis(redis -> redis.hset(meta, "item:A-1", "0 BLOCKING 1600000000000 dead-1"));

    assertThat(held.statusCode()).isEqualTo(409);
    assertThat(blocked.statusCode() + Api.code(blocked)).isEqualTo("409attempt-collision");
    Await.until(
        PATIENCE, () -> there.place(pool.value(), Api.token(), "ann", "A-1").statusCode() == 201);
  }

  private static List<String> states(String pool) {
    return rows.texts(
        "SELECT item || ' ' || status FROM item WHERE pool = ? AND status <> 'FREE' ORDER BY 1",
        pool);
  }

  private static HttpResponse<String> best(Api at, String pool, int seats) {
    var body = "{\"requester\":\"bob\",\"bestAvailable\":%d}".formatted(seats);
    return at.post("/v1/pools/" + pool + "/holds", Api.token(), body);
  }

  private static String path(String pool) {
    return "/v1/pools/" + pool + "/blocks";
  }

  private static String body(String... items) {
    return "{\"items\":%s}".formatted(Stream.of(items).map("\"%s\""::formatted).toList());
  }
}
