package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Compares the search for adjacent seats with an exhaustive search.
@ExtendWith(RealServers.class)
class BestAvailableSearchTest {
  private static Api api;
  private static SeatRowPools house;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
    house = new SeatRowPools(api);
  }

  /// The found seats are free and adjacent, and leave no single seat if that is possible. The
  /// search finds nothing only if there is nothing.
  @Test
  void the_search_finds_the_same_seats_as_an_exhaustive_search() {
    var random = new Random(42);
    for (var round = 0; round < 40; round++) {
      var sizes = random.ints(1 + random.nextInt(4), 1, 45).toArray();
      var pool = house.pool(sizes);
      var free = new ArrayList<boolean[]>();
      var taken = new ArrayList<String>();
      for (var row = 0; row < sizes.length; row++) {
        free.add(new boolean[sizes[row]]);
        for (var seat = 0; seat < sizes[row]; seat++) {
          free.get(row)[seat] = random.nextInt(3) > 0;
          if (!free.get(row)[seat]) {
            taken.add(SeatRowPools.name(row, seat));
          }
        }
      }
      for (var from = 0; from < taken.size(); from += 8) {
        api.hold(
            pool,
            "others",
            taken.subList(from, Math.min(from + 8, taken.size())).toArray(String[]::new));
      }
      var count = 1 + random.nextInt(4);
      if (IntStream.of(sizes).max().orElseThrow() >= count) {
        assertCareful(free, count, house.best(pool, count));
      }
    }
  }

  private static void assertCareful(List<boolean[]> free, int count, HttpResponse<String> answer) {
    var all = new HashSet<Set<String>>();
    var good = new HashSet<Set<String>>();
    for (var row = 0; row < free.size(); row++) {
      var seats = free.get(row);
      for (var from = 0; from + count <= seats.length; from++) {
        if (isFree(seats, from, from + count)) {
          var number = row;
          var block =
              IntStream.range(from, from + count)
                  .mapToObj(seat -> SeatRowPools.name(number, seat))
                  .collect(Collectors.toSet());
          all.add(block);
          if (!isAlone(seats, from - 1, -1) && !isAlone(seats, from + count, 1)) {
            good.add(block);
          }
        }
      }
    }
    if (all.isEmpty()) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
    } else {
      assertThat(good.isEmpty() ? all : good).contains(new HashSet<>(SeatRowPools.items(answer)));
    }
  }

  private static boolean isFree(boolean[] seats, int from, int until) {
    return IntStream.range(from, until).allMatch(seat -> seats[seat]);
  }

  /// Whether that seat is free and the one behind it, seen from the block, is not.
  private static boolean isAlone(boolean[] seats, int seat, int away) {
    return isThere(seats, seat)
        && seats[seat]
        && !(isThere(seats, seat + away) && seats[seat + away]);
  }

  private static boolean isThere(boolean[] seats, int seat) {
    return seat >= 0 && seat < seats.length;
  }
}
