package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.redis.RedisConnections;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Concurrent searches for adjacent seats, measured in script calls.
@ExtendWith(RealServers.class)
class BestAvailableConcurrencyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Service service;
  private static Api api;
  private static SeatRowPools house;

  private SteppedScripts scripts;

  @BeforeAll
  static void open(Service running) {
    service = running;
    api = Api.of(running);
    house = new SeatRowPools(api);
  }

  @BeforeEach
  void count() {
    scripts = new SteppedScripts(service.context().getBean(RedisConnections.class));
  }

  @Test
  void concurrent_callers_need_one_script_call_each_down_to_the_last_seat() {
    var pool = SearchInstance.open(service, house.pool(16, 16, 50, 16, 32));
    var desk = instance();

    var ends = IntStream.range(0, 64).mapToObj(i -> desk.ask(pool, "u" + i, 2)).toList();
    scripts.letThrough(ends);

    assertThat(SearchInstance.items(ends)).doesNotHaveDuplicates().hasSize(128);
    assertThat(scripts.calls()).isEqualTo(64);
  }

  @Test
  void concurrent_requests_of_different_sizes_do_not_conflict() {
    var pool = SearchInstance.open(service, house.pool(50, 50, 50, 50, 50, 50));
    var desk = instance();

    var ends = IntStream.range(0, 60).mapToObj(i -> desk.ask(pool, "u" + i, 1 + i % 5)).toList();
    scripts.letThrough(ends);

    assertThat(SearchInstance.items(ends)).doesNotHaveDuplicates().hasSize(180);
    assertThat(scripts.calls()).as("in whatever order they arrive").isLessThanOrEqualTo(72);
  }

  @Test
  void independent_instances_fill_the_pool_in_few_calls() {
    var pool = SearchInstance.open(service, house.pool(50, 50, 50, 50, 56));
    var one = instance();
    var other = instance();

    var ends =
        IntStream.range(0, 128)
            .mapToObj(i -> (i % 2 == 0 ? one : other).ask(pool, "u" + i, 2))
            .toList();
    scripts.letThrough(ends);

    assertThat(SearchInstance.items(ends)).doesNotHaveDuplicates().hasSize(256);
    assertThat(scripts.calls()).isLessThanOrEqualTo(2 * 128);
  }

  @Test
  void only_callers_without_free_seats_are_refused() {
    var pool = SearchInstance.open(service, house.pool(10, 10));
    var desk = instance();

    var ends = IntStream.range(0, 12).mapToObj(i -> desk.ask(pool, "u" + i, 2)).toList();
    scripts.letThrough(ends);

    var outcomes = ends.stream().map(SearchInstance::decided).toList();
    assertThat(outcomes).filteredOn(Held.class::isInstance).hasSize(10);
    assertThat(outcomes).filteredOn(Taken.class::isInstance).hasSize(2);
  }

  @Test
  void seats_proposed_to_a_caller_and_not_taken_are_proposed_next() {
    var pool = SearchInstance.open(service, house.pool(150));
    var desk = instance();
    var most = pool.policy().maxHoldsPerRequester();
    for (var i = 0; i < most; i++) {
      scripts.letThrough(List.of(desk.ask(pool, "greedy", 1)));
    }

    var refused = desk.ask(pool, "greedy", 1);
    scripts.letThrough(List.of(refused));
    var next = desk.ask(pool, "modest", 1);
    scripts.letThrough(List.of(next));

    assertThat(SearchInstance.decided(refused)).isNotInstanceOf(Held.class);
    assertThat(SearchInstance.items(List.of(next))).containsExactly("1-" + (most + 1));
  }

  @Test
  void concurrent_callers_that_fit_exactly_all_get_seats() {
    var pool = house.pool(20, 20, 20, 20, 20, 20);

    var answers = Together.run(60, _ -> house.best(pool, 2));

    assertThat(answers.stream().map(SeatRowPools::items).flatMap(List::stream))
        .doesNotHaveDuplicates()
        .hasSize(120);
  }

  @Test
  void seats_released_in_the_first_rows_are_found_soon() {
    var pool = house.pool(4, 400);
    var first = house.best(pool, 2);
    house.best(pool, 2);
    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("2-1", "2-2");

    var requester = Http.json(first).get("requester").asText();
    api.release(Hold.of(first).id(), Api.token(), requester);

    Await.until(
        PATIENCE, () -> SeatRowPools.items(house.best(pool, 2)).equals(List.of("1-1", "1-2")));
  }

  private SearchInstance instance() {
    return SearchInstance.of(service, scripts);
  }
}
