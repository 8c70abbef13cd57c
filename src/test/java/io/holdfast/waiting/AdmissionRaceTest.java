package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Operators of two instances admit at once. Together they never admit more than is free.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AdmissionRaceTest {
  private static final int FREE = 6;
  private static final int TICKETS = 16;

  @TempDir static Path folder;

  private static Service second;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service given) {
    second = Instances.start(servers, folder.resolve("second"), Map.of());
    api = Api.of(given);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    second.close();
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  @Requirement("AU-16")
  void admitters_at_once_admit_as_many_as_are_free() {
    var room = Room.of(api, FREE, "");
    var there = room.as(Api.of(second));
    var tickets = room.tickets(TICKETS);

    var admitted = Together.run(8, i -> (i % 2 == 0 ? room : there).admit(4));

    assertThat(admitted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(FREE);
    assertThat(admissions(room)).isEqualTo(FREE);
    assertThat(room.states(tickets.subList(0, FREE))).containsOnly("ADMITTED");
    assertThat(room.states(tickets.subList(FREE, TICKETS))).containsOnly("WAITING");
  }

  /// An admitted requester chooses, then holds, then has bought: its unit is taken all the time.
  @Test
  @Requirement("AU-16")
  void nobody_is_admitted_for_units_that_change_hands_meanwhile() {
    var room = Room.of(api, FREE, "");
    var there = room.as(Api.of(second));
    var tickets = room.tickets(TICKETS);

    Together.run(
        2 * FREE,
        i -> {
          var here = i % 2 == 0 ? room : there;
          if (i < FREE) {
            here.awaitState(tickets.get(i), "ADMITTED");
            here.buy("u" + (i + 1), here.passOf(tickets.get(i)));
            return 0;
          }
          return IntStream.range(0, 20).map(_ -> here.admit(2)).sum();
        });

    assertThat(room.admit(TICKETS)).isZero();
    assertThat(admissions(room)).isEqualTo(FREE);
    assertThat(rows.number("SELECT sold FROM stock WHERE pool = ?", room.pool())).isEqualTo(FREE);
  }

  private static long admissions(Room room) {
    return rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool());
  }
}
