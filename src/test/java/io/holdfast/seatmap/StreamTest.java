package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.seatmap.Listening.Event;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every client of a stream ends up with the current map, also after failures.
@ExtendWith(RealServers.class)
class StreamTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /// docs/live.md has a measurement with many more.
  private static final int MANY = Integer.getInteger("holdfast.test.live-listeners", 200);

  /// Of this class, all of which may still be followed.
  private static final int POOLS_MAX = 10;

  private static TestServers servers;
  private static Service service;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service shared) {
    servers = given;
    service = shared;
    api = Api.of(shared);
  }

  @Test
  void a_listener_gets_a_snapshot_and_then_each_change_under_growing_ids() {
    var pool = api.pool(3);
    try (var listener = Listening.to(api, pool)) {
      var snapshot = listener.events().getFirst();

      var hold = api.hold(pool, "ann", "A-1", "A-3");
      listener.awaitEvents(3);
      api.confirm(hold, Api.token(), "ann", "order-1");
      listener.awaitTruth(api, pool);

      assertThat(snapshot.name()).isEqualTo("snapshot");
      assertThat(Http.json(snapshot.data()).get("items").toString())
          .isEqualTo(
              "[{\"item\":\"A-1\",\"state\":\"FREE\"},{\"item\":\"A-2\",\"state\":\"FREE\"},"
                  + "{\"item\":\"A-3\",\"state\":\"FREE\"}]");
      assertThat(data(listener.events().subList(1, 3)))
          .containsExactly(
              "{\"item\":\"A-1\",\"state\":\"HELD\"}", "{\"item\":\"A-3\",\"state\":\"HELD\"}");
      assertThat(listener.events().stream().skip(1)).allMatch(e -> e.name().equals("change"));
      assertThat(listener.hasGrowingIds()).isTrue();
      assertThat(listener.map()).containsEntry("A-1", "SOLD").containsEntry("A-2", "FREE");
    }
  }

  @Test
  void a_client_that_reconnects_with_its_last_id_gets_only_the_missed_changes() {
    var pool = api.pool(4);
    var before = Listening.to(api, pool);
    api.hold(pool, "ann", "A-1");
    before.awaitEvents(2).close();

    var hold = api.hold(pool, "bob", "A-2");
    try (var witness = Listening.to(api, pool)) {
      witness.awaitTruth(api, pool); // what was missed has been told to somebody
    }
    try (var after = Listening.to(api, pool, before.lastId()).awaitEvents(1)) {
      api.release(hold.id(), Api.token(), "bob");
      after.awaitEvents(2);

      assertThat(data(after.events()))
          .containsExactly(
              "{\"item\":\"A-2\",\"state\":\"HELD\"}", "{\"item\":\"A-2\",\"state\":\"FREE\"}");
      assertThat(after.hasGrowingIds()).isTrue();
    }
  }

  @Test
  void a_client_that_missed_nothing_gets_nothing() {
    var pool = api.pool(1);
    var before = Listening.to(api, pool);
    before.close();

    try (var after = Listening.to(api, pool, before.lastId())) {
      Await.until(PATIENCE, () -> after.comments().contains(": nothing missed"));
      api.hold(pool, "ann", "A-1");
      after.awaitEvents(1);

      assertThat(data(after.events())).containsExactly("{\"item\":\"A-1\",\"state\":\"HELD\"}");
    }
  }

  @Test
  void an_id_that_leads_nowhere_or_half_way_gets_a_new_snapshot() {
    var pool = api.pool(3);
    var before = Listening.to(api, pool);
    api.hold(pool, "ann", "A-1", "A-2");
    before.awaitEvents(3).close();
    var halfWay = before.events().get(1).id();

    for (var id : List.of("1", "nonsense", halfWay, "9".repeat(40))) {
      try (var after = Listening.to(api, pool, id).awaitEvents(1)) {
        assertThat(after.events().getFirst().name()).as(id).isEqualTo("snapshot");
        assertThat(after.map()).isEqualTo(Listening.truth(api, pool));
      }
    }
  }

  @Test
  void changes_by_another_instance_are_sent_and_its_listeners_can_continue_here() {
    var pool = api.pool(3);
    try (var other = RealServers.start(servers, Map.of());
        var here = Listening.to(api, pool)) {
      var elsewhere = Api.of(other);

      elsewhere.hold(pool, "ann", "A-2");
      here.awaitEvents(2);
      try (var moved = Listening.to(elsewhere, pool, here.lastId())) {
        elsewhere.hold(pool, "bob", "A-1");
        moved.awaitTruth(api, pool);
        here.awaitTruth(api, pool);

        assertThat(here.map()).containsEntry("A-1", "HELD").containsEntry("A-2", "HELD");
        assertThat(moved.hasGrowingIds()).isTrue();
      }
    }
  }

  @Test
  void a_listener_has_the_right_map_after_redis_has_lost_its_memory() {
    var pool = api.pool(20);
    try (var listener = Listening.to(api, pool)) {
      var sold = api.hold(pool, "ann", "A-1");
      api.confirm(sold, Api.token(), "ann", "order-1");
      for (var round = 0; round < 3; round++) {
        api.hold(pool, "bob-" + round, "A-" + (2 + round));
        servers.redis(RedisCommands::flushdb);
        api.hold(pool, "eve-" + round, "A-" + (10 + round));
      }

      listener.awaitTruth(api, pool);

      assertThat(listener.map()).containsEntry("A-1", "SOLD").containsEntry("A-12", "HELD");
      assertThat(listener.hasGrowingIds()).isTrue();
    }
  }

  @Test
  void many_listeners_get_all_changes_from_one_poll() {
    var pool = api.pool(30);
    var listeners = IntStream.range(0, MANY).mapToObj(_ -> Listening.to(api, pool, "")).toList();
    try {
      listeners.forEach(listener -> listener.awaitEvents(1));
      var before = metric(service, "holdfast_live_looks_total");
      var since = System.nanoTime();

      for (var i = 1; i <= 30; i++) {
        api.hold(pool, "ann-" + i, "A-" + i);
      }
      var truth = Listening.truth(api, pool);
      Await.until(PATIENCE, () -> listeners.stream().allMatch(l -> l.map().equals(truth)));

      assertThat(listeners).allMatch(Listening::hasGrowingIds);
      var looks = metric(service, "holdfast_live_looks_total") - before;
      var pauses = 2 + Duration.ofNanos(System.nanoTime() - since).toMillis() / 150;
      assertThat(looks).as("while %d listen", MANY).isLessThanOrEqualTo(POOLS_MAX * pauses);
    } finally {
      listeners.forEach(Listening::close);
    }
    Await.until(PATIENCE, () -> listenersOf(service) == 0);
  }

  @Test
  void a_stream_needs_a_key_and_an_existing_pool() {
    var pool = api.pool(1);

    var keyless = Http.get(api.base(), "/v1/pools/" + pool + "/stream");
    var astray = api.get("/v1/pools/nowhere/stream");

    assertThat(keyless.statusCode()).isEqualTo(401);
    assertThat(astray.statusCode() + Api.code(astray)).isEqualTo("404not-known");
  }

  static long listenersOf(Service service) {
    return metric(service, "holdfast_live_listeners");
  }

  private static long metric(Service service, String name) {
    return Http.get(service.http(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> new BigDecimal(line.split(" ")[1]).longValueExact()) // NaN is no number
        .sum();
  }

  private static Stream<String> data(List<Event> events) {
    return events.stream().map(Event::data);
  }
}
