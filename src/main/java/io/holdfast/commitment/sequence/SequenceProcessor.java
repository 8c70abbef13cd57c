package io.holdfast.commitment.sequence;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// Processes a queue in the order of its sequence numbers, in three steps: reads the head of the
/// queue, commits it in one transaction that moves the committed sequence of the pool, and removes
/// it from the queue. Any number of processors may run:
///
/// - After a crash between commit and removal, the next run finds the entries committed and only
///   removes them.
/// - Of two processors that read the same head, one moves the committed sequence. The other one
///   writes nothing.
/// - The numbers are fences: a processor that wakes up with an old head is refused.
///
/// Throws `PostgresUnavailable` and what the queue throws, and may be repeated after both.
@Singleton
public final class SequenceProcessor {
  private static final String COMMITTED_SEQUENCE =
      "SELECT committed_sequence FROM sequence_cursor WHERE pool = ?";

  private static final String BEGIN =
      "INSERT INTO sequence_cursor (pool) VALUES (?) ON CONFLICT (pool) DO NOTHING";

  private static final String ADVANCE =
      """
      UPDATE sequence_cursor SET committed_sequence = ?
       WHERE pool = ? AND committed_sequence < ?
      """;

  private final Transactions transactions;

  SequenceProcessor(Transactions transactions) {
    this.transactions = transactions;
  }

  /// The result of one run.
  public sealed interface Processed {
    /// @param count entries that this run has committed; 0 if the queue is empty
    record Committed(int count) implements Processed {}

    /// Another processor has committed since the head was read. This run has written nothing.
    record Overtaken() implements Processed {}
  }

  public <E extends Sequenced> Processed process(
      PoolName pool, SequenceQueue<E> queue, SequencedWork<E> work, int max) {
    var head =
        queue.head(max).stream().sorted(Comparator.comparingLong(Sequenced::sequence)).toList();
    if (head.isEmpty()) {
      return new Processed.Committed(0);
    }
    var committedSequence = committedSequence(pool);
    var older = head.stream().filter(entry -> entry.sequence() <= committedSequence).toList();
    clear(queue, work, older);
    var fresh = head.subList(older.size(), head.size());
    if (fresh.isEmpty()) {
      return new Processed.Committed(0);
    }
    if (!commit(pool, work, fresh)) {
      return new Processed.Overtaken();
    }
    queue.remove(fresh);
    return new Processed.Committed(fresh.size());
  }

  /// The highest number that is committed; 0 if none is.
  public long committedSequence(PoolName pool) {
    return transactions.read(
        connection -> {
          var found = new ArrayList<Long>();
          try (var run = StatementRun.of(connection, COMMITTED_SEQUENCE)) {
            run.text(pool.value()).execute().take(row -> found.add(row.getLong(1)));
          }
          return found.isEmpty() ? 0 : found.getFirst();
        });
  }

  /// Removes what an earlier run has committed but not removed.
  private <E extends Sequenced> void clear(
      SequenceQueue<E> queue, SequencedWork<E> work, List<E> older) {
    if (older.isEmpty()) {
      return;
    }
    Set<Long> committed = transactions.read(connection -> work.committed(connection, older));
    var done = older.stream().filter(entry -> committed.contains(entry.sequence())).toList();
    var overtaken = older.stream().filter(entry -> !committed.contains(entry.sequence())).toList();
    if (!done.isEmpty()) {
      queue.remove(done);
    }
    if (!overtaken.isEmpty()) {
      queue.putBehind(overtaken);
    }
  }

  /// Returns false, and writes nothing, if the committed sequence has reached the first entry.
  private <E extends Sequenced> boolean commit(
      PoolName pool, SequencedWork<E> work, List<E> fresh) {
    return transactions.write(
        connection -> {
          if (!advance(connection, pool, fresh)) {
            connection.rollback();
            return false;
          }
          work.commit(connection, fresh);
          return true;
        });
  }

  /// A second processor waits here for the row lock of the first, and then finds the sequence
  /// moved.
  private static boolean advance(
      Connection connection, PoolName pool, List<? extends Sequenced> fresh) throws SQLException {
    try (var begin = StatementRun.of(connection, BEGIN)) {
      begin.text(pool.value()).execute();
    }
    try (var run = StatementRun.of(connection, ADVANCE)) {
      run.number(fresh.getLast().sequence()).text(pool.value()).number(fresh.getFirst().sequence());
      return run.execute().take(_ -> {}) == 1;
    }
  }
}
