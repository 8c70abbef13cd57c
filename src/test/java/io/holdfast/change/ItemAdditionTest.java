package io.holdfast.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Items that are added to a pool are on sale on both of two instances at once.
@ExtendWith(RealServers.class)
class ItemAdditionTest {
  private static final String MORE =
      "{\"items\":[{\"item\":\"B-1\",\"section\":\"B\",\"row\":\"1\",\"number\":1},"
          + "{\"item\":\"B-2\",\"section\":\"B\",\"row\":\"1\",\"number\":2,\"priceCents\":70}]}";

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
  void added_items_are_found_on_another_instance_that_has_not_read_them_yet() {
    var pool = api.row(2, "{}");
    there.hold(pool, "ann", "A-1", "A-2"); // so that it knows the pool
    var best = "{\"requester\":\"bob\",\"bestAvailable\":2,\"section\":\"B\"}";
    var unknown = there.post("/v1/pools/" + pool + "/holds", Api.token(), best);

    api.post("/v1/pools/" + pool + "/items", Api.token(), MORE);
    var adjacent = there.post("/v1/pools/" + pool + "/holds", Api.token(), best);

    assertThat(unknown.statusCode()).as(unknown.body()).isEqualTo(400);
    assertThat(adjacent.statusCode()).as(adjacent.body()).isEqualTo(201);
    assertThat(Http.json(adjacent).get("items").toString()).isEqualTo("[\"B-1\",\"B-2\"]");
  }

  /// Several times, because a refresh of the other instance may come in between.
  @Test
  @Requirement("AU-11")
  void a_full_pool_that_was_enlarged_has_room_on_another_instance() {
    var pool = api.row(2, "{}");
    there.hold(pool, "ann", "A-1", "A-2");

    for (var section : List.of("B", "C", "D", "E")) {
      var best = "{\"requester\":\"bob-%s\",\"bestAvailable\":2}".formatted(section);
      var full = there.post("/v1/pools/" + pool + "/holds", Api.token(), best);
      var more = MORE.replace("\"B", "\"" + section);
      var added = api.post("/v1/pools/" + pool + "/items", Api.token(), more);
      var adjacent = there.post("/v1/pools/" + pool + "/holds", Api.token(), best);

      assertThat(full.statusCode()).as(full.body()).isEqualTo(409);
      assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
      assertThat(adjacent.statusCode()).as(adjacent.body()).isEqualTo(201);
    }
  }

  @Test
  @Requirement("AU-11")
  void added_items_are_held_and_shown_on_another_instance() {
    var pool = api.pool(2);
    there.place(pool, Api.token(), "ann", "A-1"); // so that it knows the pool
    var before = there.get("/v1/pools/" + pool + "/items");
    var token = Api.token();

    var added = api.post("/v1/pools/" + pool + "/items", token, MORE);
    var after = there.get("/v1/pools/" + pool + "/items");
    var counts = Http.json(there.get("/v1/pools/" + pool));
    var placed = there.place(pool, Api.token(), "bob", "B-1", "B-2");
    var replayed = api.post("/v1/pools/" + pool + "/items", token, MORE);

    assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
    assertThat(Http.json(added).get("items").asInt()).isEqualTo(4);
    assertThat(before.body()).doesNotContain("B-1");
    assertThat(after.body()).contains("{\"item\":\"B-2\",\"state\":\"FREE\"}");
    assertThat(after.headers().firstValue("ETag"))
        .isNotEqualTo(before.headers().firstValue("ETag"));
    assertThat(counts.get("items").asInt()).isEqualTo(4);
    assertThat(counts.get("counts").get("free").asInt()).isEqualTo(3);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    assertThat(Api.isReplay(replayed)).isTrue();
    assertThat(there.get("/v1/pools/" + pool + "/catalogue").body())
        .contains("\"item\":\"B-2\"", "\"priceCents\":70");
  }

  @Test
  void a_name_that_the_pool_has_is_refused_and_nothing_is_added() {
    var pool = api.pool(2);
    var body = "{\"items\":[{\"item\":\"C-1\"},{\"item\":\"A-2\"}]}";

    var refused = api.post("/v1/pools/" + pool + "/items", Api.token(), body);
    var twice =
        api.post(
            "/v1/pools/" + pool + "/items",
            Api.token(),
            "{\"items\":[{\"item\":\"C-1\"},{\"item\":\"C-1\"}]}");

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("409item-exists");
    assertThat(Http.json(refused).get("items").toString()).isEqualTo("[\"A-2\"]");
    assertThat(twice.statusCode()).isEqualTo(400);
    assertThat(rows.number("SELECT count(*) FROM item WHERE pool = ?", pool)).isEqualTo(2);
    assertThat(rows.number("SELECT count(*) FROM pool_change WHERE pool = ?", pool)).isZero();
  }

  @Test
  void added_items_outlive_a_loss_of_redis() {
    var pool = api.pool(1);
    api.post("/v1/pools/" + pool + "/items", Api.token(), MORE);
    var struck = servers.redis(redis -> redis.del("{p:%s}:meta".formatted(pool)));

    var placed = there.place(pool, Api.token(), "ann", "A-1", "B-1");

    assertThat(struck).isEqualTo(1);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    assertThat(
            rows.texts(
                "SELECT kind || ' ' || array_to_string(items, ',') FROM pool_change WHERE pool = ?",
                pool))
        .containsExactly("ITEMS_ADDED B-1,B-2");
  }
}
