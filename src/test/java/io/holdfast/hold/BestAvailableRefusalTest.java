package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.hold.seatsearch.AdjacentSeatSearch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.redis.RedisConnections;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The cost of refusing adjacent seats, in script calls and in seats that they read.
@ExtendWith(RealServers.class)
class BestAvailableRefusalTest {
  private static final int SEATS_A_ROW = 50;

  /// A batch with one call that reads many seats, and small calls.
  private static final int SEATS_OF_A_BATCH_MAX = 2 * 512;

  private static Service service;
  private static TestServers servers;
  private static Api api;

  private SteppedScripts scripts;

  @BeforeAll
  static void open(Service running, TestServers used) {
    service = running;
    servers = used;
    api = Api.of(running);
  }

  @BeforeEach
  void count() {
    scripts = new SteppedScripts(service.context().getBean(RedisConnections.class));
  }

  @Test
  @Requirement("AU-19")
  void a_search_among_a_hundred_thousand_seats_without_a_free_pair_is_refused() {
    var pool = everySecondSeatTaken(2_000);
    var instance = SearchInstance.of(service, scripts);

    refuse(16, instance, pool);
    assertThat(scripts.seats()).as("one walk for all").isBetween(90_000, 110_000);
    assertThat(scripts.calls()).isLessThan(100_000 / AdjacentSeatSearch.SEATS_MAX + 16 * 5);
    assertThat(scripts.seatsOfABatch()).isLessThan(SEATS_OF_A_BATCH_MAX);

    refuse(100, instance, pool);
    assertThat(scripts.calls()).as("it is known").isEqualTo(100);
    for (var seat = 1; seat < 20; seat += 2) {
      api.hold(pool.name().value(), "u1", "700-" + seat);
      refuse(1, instance, pool);
    }
    assertThat(scripts.calls()).as("seats that are taken make no room").isEqualTo(10);
    for (var seat = 21; seat < 40; seat += 2) {
      release(api.hold(pool.name().value(), "u1", "700-" + seat));
      refuse(1, instance, pool);
    }
    assertThat(scripts.calls()).as("the refusal is for the present state").isEqualTo(20);
    assertThat(scripts.seats()).as("nobody looks at seats again").isZero();
  }

  @Test
  void a_seat_that_becomes_free_is_found_by_the_next_search() {
    var pool = everySecondSeatTaken(200);
    var hold = take(pool, "100-24");
    var instance = SearchInstance.of(service, scripts);
    var other = SearchInstance.of(service, scripts);
    refuse(1, instance, pool);
    refuse(1, other, pool);
    scripts.calls();

    release(hold);
    assertThat(find(instance, pool)).containsExactly("100-23", "100-24");
    assertThat(scripts.calls()).as("one to be told, one to take it").isEqualTo(2);
    refuse(1, instance, pool);
    refuse(1, other, pool);
    assertThat(scripts.calls()).isEqualTo(4);
  }

  @Test
  void a_search_reads_all_seats_again_after_more_became_free_than_redis_lists() {
    var pool = everySecondSeatTaken(200);
    var instance = SearchInstance.of(service, scripts);
    refuse(1, instance, pool);
    for (var row = 1; row <= 40; row++) {
      var number = row;
      var free = IntStream.range(0, SEATS_A_ROW / 2).mapToObj(i -> number + "-" + (2 * i + 1));
      release(api.hold(pool.name().value(), "u1", free.toArray(String[]::new)));
    }
    scripts.seats();

    refuse(1, instance, pool);
    assertThat(scripts.seats()).as("it has to look at all again").isGreaterThan(9_000);
    scripts.calls();
    refuse(1, instance, pool);
    assertThat(scripts.calls()).isEqualTo(1);
  }

  @Test
  void changes_by_another_instance_are_seen() {
    var pool = everySecondSeatTaken(10);
    servers.redis(redis -> redis.del(key(pool, "3-2"), key(pool, "8-48")));
    var one = SearchInstance.of(service, scripts);
    var other = SearchInstance.of(service, scripts);
    assertThat(find(one, pool)).containsExactly("3-1", "3-2");
    var second = other.ask(pool, "u1", 2);
    scripts.letThrough(List.of(second));

    refuse(1, one, pool);
    expire(pool, second);

    assertThat(find(one, pool)).isEqualTo(SearchInstance.items(List.of(second)));
    refuse(1, other, pool);
  }

  private void refuse(int times, SearchInstance instance, Pool pool) {
    var ends = new ArrayList<CompletableFuture<HoldOutcome>>();
    for (var i = 0; i < times; i++) {
      ends.add(instance.ask(pool, "u" + i, 2));
    }
    scripts.letThrough(ends);
    assertThat(ends).allMatch(end -> SearchInstance.decided(end) instanceof Taken);
  }

  private List<String> find(SearchInstance instance, Pool pool) {
    var end = instance.ask(pool, "u1", 2);
    scripts.letThrough(List.of(end));
    return SearchInstance.items(List.of(end));
  }

  private static void release(Hold hold) {
    assertThat(api.release(hold.id(), Api.token(), "u1").statusCode()).isEqualTo(200);
  }

  private static void expire(Pool pool, CompletableFuture<HoldOutcome> end) {
    var id = ((Held) SearchInstance.decided(end)).hold().id(pool.name()).toString();
    assertThat(api.expire(id, Api.token(), true).statusCode()).isEqualTo(200);
  }

  /// Gives a taken seat to a hold.
  private static Hold take(Pool pool, String seat) {
    servers.redis(redis -> redis.del(key(pool, seat)));
    return api.hold(pool.name().value(), "u1", seat);
  }

  /// The seats with even numbers cannot be held.
  private static Pool everySecondSeatTaken(int rows) {
    var name = "pool-" + UUID.randomUUID();
    var items = new ArrayList<String>();
    var taken = new HashMap<String, String>();
    for (var row = 1; row <= rows; row++) {
      for (var seat = 1; seat <= SEATS_A_ROW; seat++) {
        var item = row + "-" + seat;
        items.add("{\"item\":\"%s\",\"row\":\"%d\",\"number\":%d}".formatted(item, row, seat));
        if (seat % 2 == 0) {
          taken.put("{p:%s}:item:%s".formatted(name, item), "1");
        }
      }
    }
    var body =
        """
        {"pool":"%s","kind":"SEATS","items":[%s],
         "policy":{"maxHoldsPerRequester":1000,"maxItemsPerHold":100}}\
        """
            .formatted(name, String.join(",", items));
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var pool = SearchInstance.open(service, name);
    servers.redis(redis -> redis.mset(taken));
    return pool;
  }

  private static String key(Pool pool, String seat) {
    return pool.name().key("item:" + seat);
  }
}
