package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.checkout.Checkouts;
import io.holdfast.commitment.sequence.SequenceProcessor;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed;
import io.holdfast.commitment.sequence.SequenceQueue;
import io.holdfast.commitment.sequence.SequencedWork;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Who is admitted, how many, and in which order, with two instances of the service.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AdmissionTest {
  @TempDir static Path folder;

  private static Service service;
  private static Service second;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service given) {
    service = given;
    second = Instances.start(servers, folder.resolve("second"), Map.of());
    api = Api.of(service);
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
  @Requirement({"BR-Q-3", "BR-Q-6"})
  void an_operator_admits_the_first_of_the_queue() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(4);

    var answer = room.admit(Api.token(), 3);

    assertThat(answer.body()).isEqualTo("{\"admitted\":3,\"waiting\":1}");
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "ADMITTED", "WAITING");
    assertThat(room.position(tickets.getLast())).isEqualTo(1);
    assertThat(room.look(tickets.getFirst()).get("passUntil").isNull()).isFalse();
  }

  @Test
  void a_repeated_call_of_an_operator_admits_nobody_else() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(3);
    var token = Api.token();

    var answers = Together.run(4, _ -> room.admit(token, 1));
    var later = room.admit(token, 1);

    assertThat(answers).allMatch(each -> each.body().equals("{\"admitted\":1,\"waiting\":2}"));
    assertThat(Api.isReplay(later)).isTrue();
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "WAITING", "WAITING");
  }

  @Test
  @Requirement("AU-16")
  void no_more_are_admitted_than_units_are_free() {
    var room = Room.of(api, 3, "");
    var tickets = room.tickets(6);

    assertThat(room.admit(10)).isEqualTo(3);
    assertThat(room.admit(10)).isZero();

    var hold = room.held("u1", room.passOf(tickets.getFirst()));
    assertThat(room.admit(10)).as("one unit is held, two requesters choose").isZero();
    api.release(hold.id(), Api.token(), "u1");
    assertThat(room.admit(10)).as("the unit is free again").isEqualTo(1);
    assertThat(room.states(tickets))
        .containsExactly("ADMITTED", "ADMITTED", "ADMITTED", "ADMITTED", "WAITING", "WAITING");
  }

  @Test
  void when_holds_expire_the_next_are_admitted() {
    var room = Room.of(api, 1, ",\"maxInside\":5,\"leaseSeconds\":4,\"heartbeatSeconds\":1");
    var tickets = room.tickets(2);
    room.awaitState(tickets.getFirst(), "ADMITTED");
    room.held("u1", room.passOf(tickets.getFirst()));
    assertThat(room.state(tickets.getLast())).isEqualTo("WAITING");

    room.awaitState(tickets.getLast(), "ADMITTED");
  }

  @Test
  void so_many_are_inside_as_the_policy_allows_and_a_buyer_makes_room() {
    var room = Room.of(api, 10, ",\"maxInside\":2");
    var tickets = room.tickets(4);
    room.awaitState(tickets.get(1), "ADMITTED");
    Await.pause(Duration.ofMillis(600)); // three turns of the admitter
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "WAITING", "WAITING");

    room.buy("u1", room.passOf(tickets.getFirst()));

    room.awaitState(tickets.get(2), "ADMITTED");
    assertThat(room.state(tickets.get(3))).isEqualTo("WAITING");
  }

  /// 60 in a minute come in bursts of ten at most, so 20 take at least ten seconds.
  @Test
  void tickets_are_admitted_at_the_rate_of_the_policy() {
    var room = Room.of(api, 100, ",\"admissionsPerMinute\":60");
    var tickets = room.tickets(14);
    room.awaitState(tickets.get(9), "ADMITTED");
    assertThat(room.state(tickets.get(10))).isEqualTo("WAITING");

    Await.until(Duration.ofSeconds(30), () -> room.state(tickets.get(10)).equals("ADMITTED"));

    var most =
        rows.number(
            """
            SELECT max(n) FROM (
              SELECT count(*) OVER (ORDER BY admitted_at
                                    RANGE BETWEEN CURRENT ROW AND '9.9 s' FOLLOWING) AS n
                FROM admission WHERE pool = ?) AS bursts
            """,
            room.pool());
    assertThat(most).isEqualTo(10);
    assertThat(room.look(room.ticket("late")).get("estimateBasis").asText()).isEqualTo("MEASURED");
  }

  @Test
  void nobody_is_admitted_before_the_opening() {
    var room = Room.of(api, 5, ",\"maxInside\":5,\"opensAt\":\"2999-01-01T00:00:00Z\"");
    var ticket = room.ticket("u1");

    assertThat(room.admit(5)).isZero();
    assertThat(room.state(ticket)).isEqualTo("WAITING");
  }

  @Test
  @Requirement({"BR-Q-1", "BR-Q-5", "BR-Q-6"})
  void two_instances_at_once_admit_everybody_once_and_in_order() {
    var room = Room.of(api, 1_000, "");
    var there = room.as(Api.of(second));
    var tickets =
        Together.run(40, i -> (i % 2 == 0 ? room : there).ticket("u" + i)).stream()
            .sorted((one, other) -> Long.compare(room.position(one), room.position(other)))
            .toList();

    var admitted = Together.run(8, i -> (i % 2 == 0 ? room : there).admit(4));

    assertThat(admitted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(32);
    assertThat(room.states(tickets.subList(0, 32))).containsOnly("ADMITTED");
    assertThat(room.states(tickets.subList(32, 40))).containsOnly("WAITING");
    var order = "SELECT number FROM admission WHERE pool = ? ORDER BY admitted_at, place";
    var numbers = rows.texts(order, room.pool()).stream().map(Long::valueOf).toList();
    assertThat(numbers).hasSize(32).isSorted().doesNotHaveDuplicates();
  }

  /// The admitter is killed between the commit and the removal from the queue.
  @Test
  @Requirement("BR-Q-4")
  void an_admission_that_was_not_removed_from_the_queue_is_repeated_without_effect() {
    var room = Room.of(api, 10, "");
    keepTheTaskOut(room); // it would remove the ticket in its next turn
    var tickets = room.tickets(3);
    var head = scripts().head(name(room), 1);
    var dying =
        new AdmissionQueueThatDies(new AdmissionQueue(pool(room), head, scripts(), table(), 0));
    assertThatThrownBy(() -> processor().process(name(room), dying, work(room), 1))
        .hasMessage("killed");
    assertThat(room.state(tickets.getFirst())).isEqualTo("WAITING");

    assertThat(room.admit(1)).as("the first is removed, and the second admitted").isEqualTo(1);

    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "WAITING");
    assertThat(rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool()))
        .isEqualTo(2);
  }

  /// The lease of the task is taken by somebody who does nothing with it.
  private static void keepTheTaskOut(Room room) {
    rows.change(
        "INSERT INTO lease VALUES ('admission-%s', 'this test', now() + interval '1 hour')"
            .formatted(room.pool()));
  }

  /// It has read the head of the queue before another one has admitted the same tickets and more.
  @Test
  @Requirement("BR-Q-5")
  void an_admitter_that_wakes_up_late_is_refused() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(4);
    var head = scripts().head(name(room), 2);
    room.admit(3);

    var late = new AdmissionQueue(pool(room), head, scripts(), table(), 0);
    var processed = processor().process(name(room), late, work(room), 2);

    assertThat(processed).isEqualTo(new Processed.Committed(0));
    assertThat(room.states(tickets)).containsExactly("ADMITTED", "ADMITTED", "ADMITTED", "WAITING");
    assertThat(rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool()))
        .isEqualTo(3);
  }

  /// Redis was lost since the head was read, so nothing is known of what is free.
  @Test
  @Requirement("BR-Q-5")
  void an_admitter_of_an_earlier_epoch_is_refused() {
    var room = Room.of(api, 10, "");
    var ticket = room.ticket("u1");
    rows.change("UPDATE pool SET epoch = epoch + 1 WHERE pool = '%s'".formatted(room.pool()));
    var admitter = service.context().getBean(Admitter.class);

    var run = admitter.admitAtOnce(pool(room), 1, (_, _, _) -> {});

    assertThat(run).isEqualTo(new Admitter.Run.Overtaken());
    assertThat(rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool())).isZero();
    assertThat(room.state(ticket)).isEqualTo("WAITING");
  }

  /// It had an older place then, which it has lost with Redis.
  @Test
  void a_ticket_that_was_admitted_under_another_place_is_only_taken_out_of_the_queue() {
    var room = Room.of(api, 10, "");
    var tickets = room.tickets(2);
    rows.change(
        """
        INSERT INTO admission (pool, number, place, caller, requester, pass_until)
        SELECT '%s', %d, 1, 'operator', 'u1', now() + interval '1 minute'
        """
            .formatted(room.pool(), scripts().head(name(room), 1).tickets().getFirst().number()));

    room.admit(1);

    assertThat(room.states(tickets)).containsExactly("ADMITTED", "WAITING");
    assertThat(rows.number("SELECT count(*) FROM admission WHERE pool = ?", room.pool()))
        .isEqualTo(1);
  }

  @Test
  void the_rows_of_admissions_do_not_change() {
    var room = Room.of(api, 10, "");
    room.pass("u1");

    for (var change :
        List.of("place = place + 1", "pass_until = pass_until + '1 s'", "requester = 'u2'")) {
      assertThatThrownBy(() -> rows.change("UPDATE admission SET " + change))
          .rootCause()
          .hasMessageContaining("stays");
    }
  }

  private static final class AdmissionQueueThatDies implements SequenceQueue<WaitingTicket> {
    private final AdmissionQueue queue;

    AdmissionQueueThatDies(AdmissionQueue queue) {
      this.queue = queue;
    }

    @Override
    public List<WaitingTicket> head(int max) {
      return queue.head(max);
    }

    @Override
    public void remove(List<WaitingTicket> committed) {
      throw new IllegalStateException("killed");
    }

    @Override
    public void putBehind(List<WaitingTicket> overtaken) {
      queue.putBehind(overtaken);
    }
  }

  private static SequencedWork<WaitingTicket> work(Room room) {
    return new SequencedWork<>() {
      @Override
      public void commit(Connection connection, List<WaitingTicket> tickets) throws SQLException {
        AdmissionTable.insert(connection, name(room), Duration.ofMinutes(5), tickets);
      }

      @Override
      public Set<Long> committed(Connection connection, List<WaitingTicket> tickets)
          throws SQLException {
        return AdmissionTable.committed(connection, name(room), tickets);
      }
    };
  }

  private static SequenceProcessor processor() {
    return service.context().getBean(SequenceProcessor.class);
  }

  private static WaitingScripts scripts() {
    return service.context().getBean(WaitingScripts.class);
  }

  private static AdmissionTable table() {
    return service.context().getBean(AdmissionTable.class);
  }

  private static Pool pool(Room room) {
    return service.context().getBean(PoolRegistry.class).find(name(room)).orElseThrow();
  }

  private static PoolName name(Room room) {
    return new PoolName(room.pool());
  }
}
