package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.redis.RedisScripts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Adjacent seats are refused only if there are none, whatever state an instance has cached.
@ExtendWith(RealServers.class)
class BestAvailableModelTest {
  private static final int ROWS = 6;
  private static final int SEATS_A_ROW = 12;
  private static final int STEPS = 400;
  private static final int SEARCHES = 60;

  private static Service service;
  private static Api api;
  private static SeatRowPools house;

  @BeforeAll
  static void open(Service running) {
    service = running;
    api = Api.of(running);
    house = new SeatRowPools(api);
  }

  @Test
  void two_instances_refuse_exactly_what_a_model_refuses() {
    var seed = 4711L;
    var random = new Random(seed);
    var pool =
        SearchInstance.open(
            service, house.pool(random.ints(ROWS, SEATS_A_ROW, SEATS_A_ROW + 1).toArray()));
    var name = pool.name().value();
    var scripts = service.context().getBean(RedisScripts.class);
    var instances =
        List.of(SearchInstance.of(service, scripts), SearchInstance.of(service, scripts));
    var taken = new BitSet();
    var holds = new HashMap<String, List<Integer>>();
    for (var step = 0; step < STEPS; step++) {
      var what = "seed " + seed + ", step " + step;
      if (random.nextInt(5) < 2 && !holds.isEmpty()) {
        var hold = new ArrayList<>(holds.keySet()).get(random.nextInt(holds.size()));
        assertThat(api.expire(hold, Api.token(), true).statusCode()).isEqualTo(200);
        holds.remove(hold).forEach(taken::clear);
      } else if (random.nextInt(3) == 0) {
        var seat = random.nextInt(ROWS * SEATS_A_ROW);
        if (!taken.get(seat)) {
          holds.put(api.hold(name, "other-" + step, item(seat)).id(), List.of(seat));
          taken.set(seat);
        }
      } else {
        var wanted = 1 + random.nextInt(6);
        var end = instances.get(random.nextInt(2)).ask(pool, "u-" + step, wanted);
        switch (end.orTimeout(20, TimeUnit.SECONDS).join()) {
          case Decided(Held(var hold), _) -> {
            var seats = hold.items().stream().map(item -> seat(item.value())).toList();
            assertThat(seats).as(what).hasSize(wanted).noneMatch(taken::get);
            seats.forEach(taken::set);
            holds.put(hold.id(pool.name()).toString(), seats);
          }
          case Decided(Taken _, _) -> assertThat(hasRoom(taken, wanted)).as(what).isFalse();
          case HoldOutcome other -> throw new AssertionError(what + " " + other);
        }
      }
    }
  }

  /// Of five pairs, at most three are taken by others at any moment, and one by the search before.
  @Test
  void a_search_finds_the_pair_that_is_always_free_while_other_holds_change()
      throws ExecutionException, InterruptedException, TimeoutException {
    var pool = house.pool(2, 2, 2, 2, 2);
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var isOver = new AtomicBoolean();
      var others = new ArrayList<Future<Integer>>();
      for (var i = 0; i < 3; i++) {
        var random = new Random(i);
        others.add(workers.submit(() -> comeAndGo(pool, random, isOver)));
      }
      try {
        for (var search = 0; search < SEARCHES; search++) {
          var found = house.best(pool, 2);
          assertThat(found.statusCode()).as(found.body()).isEqualTo(201);
          giveBack(Hold.of(found), Http.json(found).get("requester").asText());
        }
      } finally {
        isOver.set(true);
      }
      for (var other : others) {
        assertThat(other.get(20, TimeUnit.SECONDS)).as("rounds of another").isPositive();
      }
    }
  }

  /// Returns the number of rounds.
  private static int comeAndGo(String pool, Random random, AtomicBoolean isOver) {
    var rounds = 0;
    for (; !isOver.get(); rounds++) {
      var row = random.nextInt(5);
      var requester = "other-" + random.nextLong();
      var answer =
          api.place(
              pool, Api.token(), requester, SeatRowPools.name(row, 0), SeatRowPools.name(row, 1));
      assertThat(answer.statusCode()).as(answer.body()).isIn(201, 409);
      if (answer.statusCode() == 201) {
        giveBack(Hold.of(answer), requester);
      }
    }
    return rounds;
  }

  private static void giveBack(Hold hold, String requester) {
    assertThat(api.release(hold.id(), Api.token(), requester).statusCode()).isEqualTo(200);
  }

  private static boolean hasRoom(BitSet taken, int wanted) {
    for (var row = 0; row < ROWS; row++) {
      var end = (row + 1) * SEATS_A_ROW;
      for (var from = row * SEATS_A_ROW; from + wanted <= end; from++) {
        var next = taken.nextSetBit(from);
        if (next < 0 || next >= from + wanted) {
          return true;
        }
      }
    }
    return false;
  }

  private static String item(int seat) {
    return SeatRowPools.name(seat / SEATS_A_ROW, seat % SEATS_A_ROW);
  }

  private static int seat(String item) {
    var dash = item.indexOf('-');
    var row = Integer.parseInt(item, 0, dash, 10) - 1;
    return row * SEATS_A_ROW + Integer.parseInt(item, dash + 1, item.length(), 10) - 1;
  }
}
