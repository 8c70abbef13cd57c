package io.holdfast.commitment.sequence;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.SalesFixture;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed.Committed;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed.Overtaken;
import io.holdfast.postgres.TestLink;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What every queue can rely on: order, removal after the commit, and no older numbers. The queue
/// is a sorted set in Redis, and a committed entry is a row of a table that remembers the order in
/// which the rows were written.
@ExtendWith(RealServers.class)
class SequenceProcessorTest {
  private static final String QUEUE = "{p:arena}:test-queue";

  private final TestServers servers;
  private TestLink link;
  private SequenceProcessor processor;
  private Rows rows;

  SequenceProcessorTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    SalesFixture.open(servers);
    rows = Rows.of(servers);
    rows.change("DELETE FROM sequence_cursor");
    rows.change("DROP TABLE IF EXISTS processed");
    rows.change(
        "CREATE TABLE processed (place bigint GENERATED ALWAYS AS IDENTITY, sequence bigint)");
    rows.change("GRANT SELECT, INSERT ON processed TO holdfast_service");
    servers.forgetHolds();
    link = TestLink.to(servers.jdbcUrl());
    processor = new SequenceProcessor(link.transactions());
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Test
  @Requirement({"BR-Q-1", "BR-Q-3"})
  void entries_that_arrive_in_another_order_are_processed_in_the_order_of_their_numbers() {
    arrive(7, 3, 5, 2, 9);

    assertThat(process(new RedisQueue(), 3)).isEqualTo(new Committed(3));
    assertThat(process(new RedisQueue(), 3)).isEqualTo(new Committed(2));

    assertThat(processed()).containsExactly(2L, 3L, 5L, 7L, 9L);
    assertThat(waiting()).isEmpty();
  }

  @Test
  @Requirement("BR-Q-1")
  void the_order_does_not_depend_on_the_queue() {
    var unordered =
        new RedisQueue() {
          @Override
          public List<Entry> head(int max) {
            return super.head(max).reversed();
          }
        };
    arrive(1, 2, 3);

    process(unordered, 10);

    assertThat(processed()).containsExactly(1L, 2L, 3L);
  }

  @Test
  @Requirement("BR-Q-4")
  void an_entry_stays_in_the_queue_until_it_is_committed() {
    var failing =
        new Records() {
          @Override
          public void commit(Connection connection, List<Entry> entries) throws SQLException {
            super.commit(connection, entries);
            throw new SQLException("the transaction fails at its end");
          }
        };
    arrive(1, 2);

    assertThatThrownBy(() -> processor.process(ARENA, new RedisQueue(), failing, 10));

    assertThat(waiting()).containsExactly(1L, 2L);
    assertThat(processed()).isEmpty();
    assertThat(process(new RedisQueue(), 10)).isEqualTo(new Committed(2));
    assertThat(processed()).containsExactly(1L, 2L);
  }

  @Test
  @Requirement("BR-Q-4")
  void a_processor_that_dies_between_commit_and_removal_is_repeated_without_effect() {
    var dying =
        new RedisQueue() {
          @Override
          public void remove(List<Entry> committed) {
            throw new IllegalStateException("killed");
          }
        };
    arrive(1, 2);
    assertThatThrownBy(() -> process(dying, 10)).hasMessage("killed");
    assertThat(waiting()).containsExactly(1L, 2L);
    arrive(3);

    assertThat(process(new RedisQueue(), 10)).isEqualTo(new Committed(1));

    assertThat(processed()).containsExactly(1L, 2L, 3L);
    assertThat(waiting()).isEmpty();
  }

  /// The processor is paused after it has read the head, and another one works on meanwhile.
  @Test
  @Requirement({"BR-Q-5", "BR-X-7"})
  void a_processor_that_wakes_up_with_old_numbers_is_refused() {
    arrive(1, 2, 3, 4);
    var paused =
        new RedisQueue() {
          @Override
          public List<Entry> head(int max) {
            var head = super.head(2);
            process(new RedisQueue(), 3);
            return head;
          }
        };

    assertThat(process(paused, 2)).isEqualTo(new Committed(0));

    assertThat(processed()).containsExactly(1L, 2L, 3L);
    assertThat(waiting()).containsExactly(4L);
    assertThat(processor.committedSequence(ARENA)).isEqualTo(3);
  }

  @Test
  @Requirement({"BR-Q-5", "BR-X-7"})
  void two_processors_at_once_commit_each_entry_once_and_in_order() {
    var everybodyHasRead = new CyclicBarrier(2);
    arrive(LongStream.rangeClosed(1, 20).toArray());

    var results =
        Together.run(
            2,
            _ ->
                process(
                    new RedisQueue() {
                      @Override
                      public List<Entry> head(int max) {
                        var head = super.head(max);
                        await(everybodyHasRead);
                        return head;
                      }
                    },
                    10));

    assertThat(results).contains(new Committed(10));
    assertThat(results).containsAnyOf(new Overtaken(), new Committed(0));
    assertThat(processed()).isEqualTo(LongStream.rangeClosed(1, 10).boxed().toList());
  }

  /// Another processor commits after this one has read the committed sequence.
  @Test
  @Requirement({"BR-Q-5", "BR-X-7"})
  void the_statement_refuses_numbers_that_are_not_above_the_committed_one() {
    rows.change("INSERT INTO sequence_cursor (pool, committed_sequence) VALUES ('arena', 2)");
    arrive(5, 6);
    rows.change(
        """
        CREATE OR REPLACE FUNCTION overtake() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN
             UPDATE sequence_cursor SET committed_sequence = 6;
             RETURN NULL;
           END $$
        """);
    rows.change(
        "CREATE TRIGGER overtake BEFORE INSERT ON sequence_cursor"
            + " FOR EACH STATEMENT EXECUTE FUNCTION overtake()");
    try {
      assertThat(process(new RedisQueue(), 10)).isEqualTo(new Overtaken());
    } finally {
      rows.change("DROP TRIGGER overtake ON sequence_cursor");
    }
    assertThat(processed()).isEmpty();
    assertThat(waiting()).containsExactly(5L, 6L);
  }

  @Test
  void the_committed_sequence_never_falls() {
    arrive(5);
    process(new RedisQueue(), 10);

    assertThatThrownBy(() -> rows.change("UPDATE sequence_cursor SET committed_sequence = 4"))
        .rootCause()
        .hasMessageContaining("processed up to 5");
  }

  /// A Redis that was restored from an older state has it, and it was never committed.
  @Test
  void an_overtaken_entry_gets_a_new_number_and_is_not_lost() {
    arrive(5);
    process(new RedisQueue(), 10);
    arrive(3, 6);

    process(new RedisQueue(), 10);
    process(new RedisQueue(), 10);

    assertThat(processed()).containsExactly(5L, 6L, 103L);
    assertThat(waiting()).isEmpty();
  }

  private record Entry(long sequence) implements Sequenced {}

  private class RedisQueue implements SequenceQueue<Entry> {
    @Override
    public List<Entry> head(int max) {
      return servers.redis(redis -> redis.zrange(QUEUE, 0, max - 1)).stream()
          .map(text -> new Entry(Long.parseLong(text)))
          .toList();
    }

    @Override
    public void remove(List<Entry> committed) {
      servers.redis(redis -> redis.zrem(QUEUE, texts(committed)));
    }

    @Override
    public void putBehind(List<Entry> overtaken) {
      servers.redis(redis -> redis.zrem(QUEUE, texts(overtaken)));
      overtaken.forEach(entry -> arrive(entry.sequence() + 100));
    }

    private static String[] texts(List<Entry> entries) {
      return entries.stream().map(entry -> "" + entry.sequence()).toArray(String[]::new);
    }
  }

  private static class Records implements SequencedWork<Entry> {
    @Override
    public void commit(Connection connection, List<Entry> entries) throws SQLException {
      try (var insert =
          connection.prepareStatement("INSERT INTO processed (sequence) VALUES (?)")) {
        for (var entry : entries) {
          insert.setLong(1, entry.sequence());
          insert.executeUpdate();
        }
      }
    }

    @Override
    public Set<Long> committed(Connection connection, List<Entry> entries) throws SQLException {
      try (var select = connection.prepareStatement("SELECT sequence FROM processed");
          var found = select.executeQuery()) {
        var asked = entries.stream().map(Entry::sequence).collect(Collectors.toSet());
        var committed = new HashSet<Long>();
        while (found.next()) {
          committed.add(found.getLong(1));
        }
        committed.retainAll(asked);
        return committed;
      }
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private Processed process(SequenceQueue<Entry> queue, int max) {
    return processor.process(ARENA, queue, new Records(), max);
  }

  private void arrive(long... sequences) {
    for (var sequence : sequences) {
      servers.redis(redis -> redis.zadd(QUEUE, (double) sequence, "" + sequence));
    }
  }

  private List<Long> waiting() {
    return servers.redis(redis -> redis.zrange(QUEUE, 0, -1)).stream().map(Long::valueOf).toList();
  }

  private List<Long> processed() {
    return rows.texts("SELECT sequence FROM processed ORDER BY place").stream()
        .map(Long::valueOf)
        .toList();
  }
}
