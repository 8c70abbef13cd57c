package io.holdfast.events.privacy;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.subject.DataSubject;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does in stored answers and in Redis what shreddings have left to do there. A shredding asks for
/// it at once; the task does it for those whose request or process has ended before.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class UnfinishedErasures implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedErasures.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration LEASE_FOR = PERIOD.multipliedBy(3);

  private static final String UNFINISHED =
      """
      SELECT caller, requester, pseudonym, pools, shredded_at FROM unfinished_erasure
       WHERE caller = ? AND requester = ?
      """;

  /// Younger ones are being finished by their request.
  private static final String UNFINISHED_FOR_LONG =
      """
      SELECT caller, requester, pseudonym, pools, shredded_at FROM unfinished_erasure
       WHERE shredded_at < clock_timestamp() - interval '20 s'
       ORDER BY shredded_at LIMIT 100
      """;

  private static final String FINISH = "DELETE FROM unfinished_erasure WHERE pseudonym = ?";

  private final Transactions transactions;
  private final StoredAnswers answers;
  private final RedisErasure redis;
  private final Leases leases;
  private final InstanceId instance;
  private final PeriodicTask task;
  private final FailureLog failures =
      new FailureLog(
          LOG,
          "Answers with the name of a shredded requester are still stored; the next run erases it",
          "The names of all shredded requesters are erased");

  UnfinishedErasures(
      Transactions transactions,
      StoredAnswers answers,
      RedisErasure redis,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks) {
    this.transactions = transactions;
    this.answers = answers;
    this.redis = redis;
    this.leases = leases;
    this.instance = instance;
    this.task = tasks.every("erasure", PERIOD, this::run);
  }

  @Override
  public void atStart() {
    task.start();
  }

  private void run() {
    if (!leases.take("erasure", instance.name(), LEASE_FOR)) {
      return;
    }
    for (var left : transactions.read(UnfinishedErasures::unfinishedForLong)) {
      if (task.isStopping()) {
        return;
      }
      finish(left);
    }
  }

  /// Returns whether nothing is left to do for the person.
  boolean finish(DataSubject person) {
    try {
      return transactions.read(connection -> unfinished(connection, person)).stream()
          .allMatch(this::finish);
    } catch (PostgresUnavailable e) {
      failures.failed("the records", e);
      return false;
    }
  }

  /// May be repeated: nothing happens the second time.
  private boolean finish(Erasure left) {
    try {
      var walk = answers.redact(left);
      LOG.debug("Stored answers of {}: {}", left.pseudonym(), walk);
      left.pools().forEach(pool -> redis.erase(pool, left));
      transactions.write(
          connection -> {
            delete(connection, left);
            return left;
          });
      failures.succeeded(left.pseudonym());
      return true;
    } catch (RedisUnavailable | PostgresUnavailable e) {
      failures.failed(left.pseudonym(), e);
      return false;
    }
  }

  private static List<Erasure> unfinished(Connection connection, DataSubject person)
      throws SQLException {
    try (var select = StatementRun.of(connection, UNFINISHED)) {
      return unfinished(select.text(person.caller()).text(person.requester()));
    }
  }

  private static List<Erasure> unfinishedForLong(Connection connection) throws SQLException {
    try (var select = StatementRun.of(connection, UNFINISHED_FOR_LONG)) {
      return unfinished(select);
    }
  }

  private static List<Erasure> unfinished(StatementRun select) throws SQLException {
    var unfinished = new ArrayList<Erasure>();
    select
        .execute()
        .take(
            row -> {
              var pools = Stream.of((String[]) row.getArray("pools").getArray());
              unfinished.add(
                  new Erasure(
                      new DataSubject(row.getString("caller"), row.getString("requester")),
                      row.getString("pseudonym"),
                      pools.map(PoolName::new).collect(Collectors.toSet()),
                      ArrayBinder.moment(row, "shredded_at")));
            });
    return unfinished;
  }

  private static void delete(Connection connection, Erasure done) throws SQLException {
    try (var delete = StatementRun.of(connection, FINISH)) {
      delete.text(done.pseudonym()).execute();
    }
  }
}
