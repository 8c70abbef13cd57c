package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Service;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Taken;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.intent.Scripts;
import io.holdfast.journal.CallRate;
import io.holdfast.journal.Pressure;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Catalogue;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Seats side by side for many at once, counted in calls of the script.
@ExtendWith(RealServers.class)
class BestAvailableCrowdTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Service service;
  private static Api api;
  private static House house;

  private InStep scripts;

  @BeforeAll
  static void open(Service running) {
    service = running;
    api = Api.of(running);
    house = new House(api);
  }

  @BeforeEach
  void count() {
    scripts = new InStep(service.context().getBean(Scripts.class));
  }

  @Test
  void callers_that_come_together_need_one_call_each_down_to_the_last_seat() {
    var pool = awake(house.pool(16, 16, 50, 16, 32));
    var desk = instance();

    var ends = IntStream.range(0, 64).mapToObj(i -> ask(desk, pool, "u" + i, 2)).toList();
    scripts.letThrough(ends.size());

    assertThat(seats(ends)).doesNotHaveDuplicates().hasSize(128);
    assertThat(scripts.calls()).isEqualTo(64);
  }

  @Test
  void wishes_of_all_sizes_do_not_get_in_the_way_of_each_other() {
    var pool = awake(house.pool(50, 50, 50, 50, 50, 50));
    var desk = instance();

    var ends = IntStream.range(0, 60).mapToObj(i -> ask(desk, pool, "u" + i, 1 + i % 5)).toList();
    scripts.letThrough(ends.size());

    assertThat(seats(ends)).doesNotHaveDuplicates().hasSize(180);
    assertThat(scripts.calls()).isLessThanOrEqualTo(66);
  }

  @Test
  void instances_that_know_nothing_of_each_other_sell_the_house_out_in_few_calls() {
    var pool = awake(house.pool(50, 50, 50, 50, 56));
    var one = instance();
    var other = instance();

    var ends =
        IntStream.range(0, 128)
            .mapToObj(i -> ask(i % 2 == 0 ? one : other, pool, "u" + i, 2))
            .toList();
    scripts.letThrough(ends.size());

    assertThat(seats(ends)).doesNotHaveDuplicates().hasSize(256);
    assertThat(scripts.calls()).isLessThanOrEqualTo(2 * 128);
  }

  @Test
  void who_comes_too_late_is_told_so_and_nobody_else_is() {
    var pool = awake(house.pool(10, 10));
    var desk = instance();

    var ends = IntStream.range(0, 12).mapToObj(i -> ask(desk, pool, "u" + i, 2)).toList();
    scripts.letThrough(ends.size());

    var outcomes = ends.stream().map(end -> end.getNow(null).outcome()).toList();
    assertThat(outcomes).filteredOn(Held.class::isInstance).hasSize(10);
    assertThat(outcomes).filteredOn(Taken.class::isInstance).hasSize(2);
  }

  @Test
  void seats_that_a_caller_was_sent_to_and_did_not_take_are_the_next_ones() {
    var pool = awake(house.pool(150));
    var desk = instance();
    var most = pool.policy().maxHoldsPerRequester();
    IntStream.range(0, most).forEach(_ -> ask(desk, pool, "greedy", 1));
    scripts.letThrough(most);

    var refused = ask(desk, pool, "greedy", 1);
    scripts.letThrough(1);
    var next = ask(desk, pool, "modest", 1);
    scripts.letThrough(1);

    assertThat(refused.getNow(null).outcome()).isNotInstanceOf(Held.class);
    assertThat(seats(List.of(next))).containsExactly("1-" + (most + 1));
  }

  @Test
  void a_crowd_that_fits_exactly_finds_its_seats() {
    var pool = house.pool(20, 20, 20, 20, 20, 20);

    var answers = Together.run(60, _ -> house.best(pool, 2));

    assertThat(answers.stream().map(House::items).flatMap(List::stream))
        .doesNotHaveDuplicates()
        .hasSize(120);
  }

  @Test
  void what_is_given_back_in_front_is_found_soon() {
    var pool = house.pool(4, 400);
    var first = house.best(pool, 2);
    house.best(pool, 2);
    assertThat(House.items(house.best(pool, 2))).containsExactly("2-1", "2-2");

    var requester = Http.json(first).get("requester").asText();
    api.release(Hold.of(first).id(), Api.token(), requester);

    Await.until(PATIENCE, () -> House.items(house.best(pool, 2)).equals(List.of("1-1", "1-2")));
  }

  private static List<String> seats(List<CompletableFuture<Decision>> ends) {
    var seats = new ArrayList<String>();
    for (var end : ends) {
      var outcome = end.getNow(null).outcome();
      assertThat(outcome).isInstanceOf(Held.class);
      ((Held) outcome).hold().items().stream().map(ItemId::value).forEach(seats::add);
    }
    return seats;
  }

  private static CompletableFuture<Decision> ask(
      BestSeats seats, Pool pool, String requester, int count) {
    var name = Api.token();
    var token = (Token) Token.of(name, Token.LENGTH_MAX_DEFAULT);
    var call = new TokenCall("shop", pool, token, Digest.of(name, List.of(), Map.of()));
    var wish = new Wish(requester, List.of(), count, null, pool.policy().lease());
    return seats.place(call, wish).toCompletableFuture();
  }

  /// Known to where holds are kept.
  private static Pool awake(String name) {
    assertThat(api.counts(name)).contains("free");
    return service.context().getBean(Pools.class).find(new PoolName(name)).orElseThrow();
  }

  /// What an instance of the service thinks of seats is its own.
  private BestSeats instance() {
    var beans = service.context();
    var desk =
        new HoldDesk(
            new HoldScripts(scripts),
            beans.getBean(PoolScripts.class),
            beans.getBean(Seeding.class),
            beans.getBean(Gate.class),
            beans.getBean(Pressure.class),
            beans.getBean(Salts.class),
            beans.getBean(CallRate.class),
            beans.getBean(PinSettings.class));
    return new BestSeats(
        desk, beans.getBean(Catalogue.class), Executors.newVirtualThreadPerTaskExecutor());
  }
}
