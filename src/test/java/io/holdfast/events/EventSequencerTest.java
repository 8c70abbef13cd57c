package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Events are numbered in the order of their commits, without gaps, and a slow transaction delays
/// nobody.
@ExtendWith(RealServers.class)
class EventSequencerTest {
  private static final String SALE_EVENT =
      "INSERT INTO event_fresh (pool, type, subject, data) VALUES (?, 'hold.confirmed', ?, '')";

  private static Transactions transactions;
  private static Rows rows;

  private final EventWriter writer = new EventWriter();
  private String pool;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    transactions = service.context().getBean(Transactions.class);
    rows = Rows.of(servers);
  }

  @BeforeEach
  void newPool() {
    pool = "pool-" + UUID.randomUUID();
  }

  @Test
  void an_event_is_committed_with_its_change_or_not_at_all() {
    transactions.write(
        connection -> {
          append(connection, "rolled back");
          connection.rollback();
          return 0;
        });
    transactions.write(
        connection -> {
          append(connection, "committed");
          return 0;
        });

    Await.until(Subscriber.SOON, () -> subjects().size() == 1);
    assertThat(subjects()).containsExactly("committed");
  }

  @Test
  void numbers_follow_the_order_of_commits_and_an_open_transaction_delays_no_other_event()
      throws Exception {
    try (var slow = transactionsConnection()) {
      append(slow, "begun first, committed last");
      transactions.write(
          connection -> {
            append(connection, "begun last, committed first");
            return 0;
          });
      Await.until(Subscriber.SOON, () -> subjects().size() == 1);
      slow.commit();
    }

    Await.until(Subscriber.SOON, () -> subjects().size() == 2);
    assertThat(subjects())
        .containsExactly("begun last, committed first", "begun first, committed last");
  }

  @Test
  void numbers_have_no_gaps_when_many_transactions_commit_and_roll_back_at_once() {
    Together.run(
        8,
        thread -> {
          for (var i = 0; i < 25; i++) {
            var isRolledBack = i % 3 == 0;
            var subject = thread + "-" + i;
            transactions.write(
                connection -> {
                  append(connection, subject);
                  if (isRolledBack) {
                    connection.rollback();
                  }
                  return 0;
                });
          }
          return 0;
        });

    var kept = 8 * 16;
    Await.until(Subscriber.SOON, () -> subjects().size() == kept);
    assertThat(rows.texts("SELECT seq FROM event WHERE pool = ? ORDER BY seq", pool))
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, kept).mapToObj(Long::toString).toList());
    for (var thread = 0; thread < 8; thread++) {
      var prefix = thread + "-";
      assertThat(
              subjects().stream().filter(s -> s.startsWith(prefix)).map(EventSequencerTest::number))
          .isSorted();
    }
  }

  @Test
  void more_events_than_one_batch_keep_their_order() {
    var events =
        IntStream.range(0, EventSequencer.BATCH + 10).mapToObj(i -> event("s-" + i)).toList();
    transactions.write(
        connection -> {
          writer.append(connection, events);
          return 0;
        });

    Await.until(Subscriber.SOON, () -> subjects().size() == events.size());
    assertThat(subjects()).isEqualTo(events.stream().map(Event::subject).toList());
  }

  @Test
  void a_sale_event_without_a_commitment_is_dropped_and_delays_no_other_event() {
    transactions.write(
        connection -> {
          try (var insert = connection.prepareStatement(SALE_EVENT)) {
            insert.setString(1, pool);
            insert.setString(2, "a hold without a commitment");
            insert.executeUpdate();
          }
          append(connection, "the next one");
          return 0;
        });

    Await.until(Subscriber.SOON, () -> subjects().size() == 1);
    assertThat(subjects()).containsExactly("the next one");
    assertThat(rows.texts("SELECT subject FROM event_fresh WHERE pool = ?", pool)).isEmpty();
  }

  private static Connection transactionsConnection() throws SQLException {
    var connection = rows.connections().get();
    connection.setAutoCommit(false);
    return connection;
  }

  private List<String> subjects() {
    return rows.texts("SELECT subject FROM event WHERE pool = ? ORDER BY seq", pool);
  }

  private static Integer number(String subject) {
    return Integer.valueOf(subject.substring(subject.indexOf('-') + 1));
  }

  private void append(Connection connection, String subject) throws SQLException {
    writer.append(connection, List.of(event(subject)));
  }

  private Event event(String subject) {
    var data = FatEventTest.voided(FatEventTest.aCommitment()).data();
    return new Event(EventType.COMMITMENT_VOIDED, new PoolName(pool), subject, data);
  }
}
