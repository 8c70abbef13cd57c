package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Best available: adjacent seats chosen by the service.
@ExtendWith(RealServers.class)
class BestAvailableTest {
  private static Api api;
  private static SeatRowPools house;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
    house = new SeatRowPools(api);
  }

  @Test
  void seats_are_adjacent_in_the_first_row_with_room() {
    var pool = house.pool(4, 6);

    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("1-1", "1-2");
    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("1-3", "1-4");
    assertThat(SeatRowPools.items(house.best(pool, 3))).containsExactly("2-1", "2-2", "2-3");
    assertThat(SeatRowPools.items(house.best(pool, 3))).containsExactly("2-4", "2-5", "2-6");
  }

  @Test
  void single_free_seats_are_avoided() {
    var pool = house.pool(5, 6);

    assertThat(SeatRowPools.items(house.best(pool, 4))).containsExactly("2-1", "2-2", "2-3", "2-4");
    assertThat(SeatRowPools.items(house.best(pool, 4)))
        .as("nothing else is left")
        .hasSize(4)
        .contains("1-2");
  }

  @Test
  void a_row_longer_than_the_first_part_read_is_filled_to_its_end() {
    var pool = house.pool(100);

    var all =
        IntStream.range(0, 50).mapToObj(_ -> SeatRowPools.items(house.best(pool, 2))).toList();

    assertThat(all.stream().flatMap(List::stream)).doesNotHaveDuplicates().hasSize(100);
    assertThat(house.best(pool, 1).statusCode()).isEqualTo(409);
  }

  @Test
  void a_search_stays_in_its_section() {
    var pool = house.create("A", 4, "B", 4);

    assertThat(SeatRowPools.items(house.best(pool, 2, "\"B\""))).containsExactly("B1-1", "B1-2");
    assertThat(SeatRowPools.items(house.best(pool, 2, "\"B\""))).containsExactly("B1-3", "B1-4");
    assertThat(house.best(pool, 2, "\"B\"").statusCode()).isEqualTo(409);
    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("A1-1", "A1-2");
  }

  @Test
  void a_full_pool_is_refused_and_released_seats_are_found_at_once() {
    var pool = house.pool(4);
    house.best(pool, 2);
    var last = house.best(pool, 2);
    var refused = house.best(pool, 2);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("resource-unavailable");
    assertThat(Http.json(refused).get("items")).isEmpty();
    assertThat(house.best(pool, 2).statusCode()).as("again, as nothing has changed").isEqualTo(409);

    var hold = Hold.of(last);
    var requester = Http.json(last).get("requester").asText();
    assertThat(api.release(hold.id(), Api.token(), requester).statusCode()).isEqualTo(200);

    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("1-3", "1-4");
  }

  @Test
  void the_same_token_gets_the_same_seats() {
    var pool = house.pool(4, 4);
    var token = Api.token();
    var body = SeatRowPools.body("u1", 2, "null");

    var first = api.post("/v1/pools/" + pool + "/holds", token, body);
    house.best(pool, 1);
    var again = api.post("/v1/pools/" + pool + "/holds", token, body);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    var other = api.post("/v1/pools/" + pool + "/holds", token, SeatRowPools.body("u1", 3, "null"));
    assertThat(Api.code(other)).isEqualTo("token-collision");
  }

  @Test
  void seats_found_by_a_search_are_held_like_any_other(TestServers servers) {
    var pool = house.pool(4);
    var placed = house.best(pool, 2);
    var hold = Hold.of(placed);
    var requester = Http.json(placed).get("requester").asText();
    assertThat(api.place(pool, Api.token(), "berta", "1-2").statusCode()).isEqualTo(409);
    assertThat(api.get("/v1/pools/" + pool + "/holds").statusCode()).isEqualTo(200);

    servers.forgetHolds();

    assertThat(SeatRowPools.items(house.best(pool, 2))).containsExactly("1-3", "1-4");
    assertThat(api.heartbeat(hold.id(), requester, hold.fence()).statusCode()).isEqualTo(200);
    assertThat(api.confirm(hold, Api.token(), requester, "order-1").statusCode()).isEqualTo(200);
    assertThat(house.best(pool, 1).statusCode()).isEqualTo(409);
  }

  @Test
  void concurrent_callers_fill_the_pool_and_no_seat_is_held_twice() throws Exception {
    var pool = house.pool(10, 10, 10, 10, 10, 10, 10, 10, 10, 10);
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = new ArrayList<Future<HttpResponse<String>>>();
      for (var i = 0; i < 60; i++) {
        answers.add(workers.submit(() -> house.best(pool, 2)));
      }
      var seats = new ArrayList<String>();
      var refusals = 0;
      for (var answer : answers) {
        assertThat(answer.get().statusCode()).as(answer.get().body()).isIn(201, 409);
        if (answer.get().statusCode() == 201) {
          seats.addAll(SeatRowPools.items(answer.get()));
        } else {
          refusals++;
        }
      }
      assertThat(seats).doesNotHaveDuplicates().hasSize(100);
      assertThat(refusals).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"requester":"u","bestAvailable":0}                          | bestAvailable
          {"requester":"u","bestAvailable":-1}                         | bestAvailable
          {"requester":"u","bestAvailable":9}                          | bestAvailable
          {"requester":"u","bestAvailable":"2"}                        | bestAvailable
          {"requester":"u","bestAvailable":1.5}                        | bestAvailable
          {"requester":"u","bestAvailable":5}                          | bestAvailable
          {"requester":"u","bestAvailable":1,"items":["1-1"]}          | bestAvailable
          {"requester":"u","bestAvailable":1,"section":"Z"}            | section
          {"requester":"u","bestAvailable":1,"section":7}              | section
          {"requester":"u","items":["1-1"],"section":"A"}              | section
          {"requester":"u"}                                            | items
          """)
  void what_makes_no_sense_is_refused_and_takes_nothing(String body, String field) {
    var pool = house.pool(4);

    var answer = api.post("/v1/pools/" + pool + "/holds", Api.token(), body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(Http.json(answer).get("detail").asText() + answer.body()).contains(field);
    assertThat(api.counts(pool)).isEqualTo("4 free, 0 held");
  }

  @Test
  void items_without_a_row_are_given_one_at_a_time() {
    var pool = api.pool(3);

    assertThat(SeatRowPools.items(house.best(pool, 1))).containsExactly("A-1");
    assertThat(house.best(pool, 2).statusCode()).isEqualTo(400);
  }
}
