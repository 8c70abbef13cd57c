package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.checkout.Checkouts;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.holdfast.waiting.TurnSchedule.Turn;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The turns of the task that admits by itself. A test takes each turn, no task does.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AdmissionTurnsTest {
  private static final Duration ONCE_A_SECOND = Duration.ofMillis(700);

  /// More than one sweep ends.
  private static final int ABSENT = TicketSweep.TICKETS_MAX + 20;

  @TempDir static Path folder;

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service = Instances.start(servers, folder.resolve("data"), Map.of());
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "admissions");
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void end() {
    service.close();
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  /// What Redis has of a queue is of another type, or is not a ticket.
  enum Damage {
    REFUSED_BY_REDIS((redis, room) -> redis.set(key(room, "present"), "not a sorted set")),
    NOT_READABLE((redis, room) -> redis.zadd(key(room, "queue"), 1, number(redis, room)));

    private final BiConsumer<RedisCommands<String, String>, Room> damage;

    Damage(BiConsumer<RedisCommands<String, String>, Room> damage) {
      this.damage = damage;
    }

    private static String key(Room room, String part) {
      return "{p:%s}:%s".formatted(room.pool(), part);
    }

    private static String number(RedisCommands<String, String> redis, Room room) {
      redis.hset(key(room, "tickets"), "7", "not a ticket");
      return "7";
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_room_that_fails_does_not_stop_the_rooms_behind_it(Damage damage) {
    var rooms =
        Stream.generate(() -> Room.of(api, 5, ",\"maxInside\":1"))
            .limit(3)
            .sorted(Comparator.comparing(AdmissionTurnsTest::turnOf))
            .toList();
    var failing = rooms.getFirst();
    var working = rooms.getLast();
    servers.redis(
        redis -> {
          damage.damage.accept(redis, failing);
          return "damaged";
        });
    var ticket = working.ticket("u1");

    task().work();

    assertThat(working.state(ticket)).isEqualTo("ADMITTED");
    servers.forgetHolds(); // the failing room too, which is loaded again
  }

  private static int turnOf(Room room) {
    var pools = service.context().getBean(PoolRegistry.class).withWaitingRooms();
    return pools.stream().map(pool -> pool.name().value()).toList().indexOf(room.pool());
  }

  @Test
  void absent_tickets_are_all_ended_before_anybody_is_admitted() {
    var room = Room.of(api, 1_000, ",\"graceSeconds\":3,\"maxInside\":500");
    var absent = absentTickets(room);
    var present = room.ticket("present");

    turn(room);

    assertThat(room.state(present)).isEqualTo("ADMITTED");
    assertThat(room.state(absent)).isEqualTo("EXPIRED");
    assertThat(admitted(room)).isEqualTo(1);
  }

  @Test
  void an_operator_admits_no_absent_ticket() {
    var room = Room.of(api, 1_000, ",\"graceSeconds\":3");
    var absent = absentTickets(room);
    var present = room.ticket("present");

    assertThat(room.admit(500)).isEqualTo(1);

    assertThat(room.state(present)).isEqualTo("ADMITTED");
    assertThat(room.state(absent)).isEqualTo("EXPIRED");
  }

  /// Joins with many tickets and waits until they are overdue. Returns the last one.
  private static String absentTickets(Room room) {
    var tickets = Together.run(ABSENT, i -> room.ticket("absent" + i));
    Await.pause(Duration.ofMillis(3_100));
    return tickets.getLast();
  }

  /// A call of an operator is needed; nothing is free; all places inside are taken; not yet open;
  /// the rate of the last minute is used up.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"admissionsPerMinute\":1000000",
        ",\"maxInside\":1",
        ",\"maxInside\":9,\"opensAt\":\"2999-01-01T00:00:00Z\"",
        ",\"admissionsPerMinute\":1"
      })
  void a_room_that_may_admit_nobody_is_looked_at_once_a_second(String policy) {
    var room = Room.of(api, 1, policy);
    room.tickets(3);
    room.admit(1);

    assertThat(turn(room).pause()).isBetween(ONCE_A_SECOND, Duration.ofSeconds(1));
  }

  /// The first turn measures the pace, which needs the lease.
  @Test
  void a_room_that_may_admit_nobody_takes_the_lease_only_to_measure_its_pace() {
    var room = Room.of(api, 5, "");
    room.tickets(2);
    var lease = "SELECT until FROM lease WHERE name = 'admission-" + room.pool() + "'";
    turn(room);
    var first = rows.texts(lease);
    rows.change("UPDATE lease SET until = until - interval '1 hour'");
    var lapsed = rows.texts(lease);

    turn(room);

    assertThat(first).hasSize(1);
    assertThat(rows.texts(lease)).isEqualTo(lapsed);
  }

  @Test
  void a_turn_after_the_release_of_a_hold_admits_the_next() {
    var room = Room.of(api, 1, ",\"maxInside\":9");
    var tickets = room.tickets(2);
    turn(room);
    var hold = room.held("u1", room.passOf(tickets.getFirst()));
    assertThat(turn(room).pause()).isBetween(ONCE_A_SECOND, Duration.ofSeconds(1));

    api.release(hold.id(), Api.token(), "u1");
    turn(room);

    assertThat(room.state(tickets.getLast())).isEqualTo("ADMITTED");
  }

  private static long admitted(Room room) {
    return rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool());
  }

  private static Turn turn(Room room) {
    var pools = service.context().getBean(PoolRegistry.class);
    return task().turn(pools.existing(room.pool()));
  }

  private static AdmissionTask task() {
    return service.context().getBean(AdmissionTask.class);
  }
}
