package io.holdfast.checkout.saga;

import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Renews the leases of runs whose turn takes long. The result of a turn is stored only under the
/// lease that it started with. If that expired during a slow payment call, the next runner would
/// make the same slow call, and no try would ever be counted.
@Singleton
public final class RunLeases {
  /// Longer than any turn whose calls end in time. After that another runner may take the run.
  private static final Duration TURN_MAX = Duration.ofMinutes(5);

  /// How often a lease is checked while it lasts.
  private static final int CHECKS = 8;

  private static final String RENEW =
      """
      UPDATE checkout c
         SET lease_until = clock_timestamp() + ? * interval '1 millisecond'
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS checkout_id,
                     unnest(?::bigint[]) AS lease_no) AS given
       WHERE c.pool = given.pool AND c.checkout_id = given.checkout_id
         AND c.lease_no = given.lease_no AND c.ended_at IS NULL
      """;

  private final Transactions transactions;
  private final Duration lease;
  private final Set<Held> held = ConcurrentHashMap.newKeySet();
  private final OnDemandTask renewal;

  RunLeases(Transactions transactions, CheckoutSettings settings, PeriodicTasks tasks) {
    this.transactions = transactions;
    this.lease = settings.lease();
    this.renewal = new OnDemandTask(tasks, "checkout-leases", lease.dividedBy(CHECKS), this::renew);
  }

  /// A run during one turn. Its lease was new at the start of the turn.
  public final class Held implements AutoCloseable {
    private final CheckoutRun run;
    private final long since = System.nanoTime();
    private volatile long renewedAt = since;

    private Held(CheckoutRun run) {
      this.run = run;
    }

    private boolean isHalfOver(long now) {
      return now - renewedAt > lease.toNanos() / 2 && now - since < TURN_MAX.toNanos();
    }

    @Override
    public void close() {
      held.remove(this);
    }
  }

  public Held hold(CheckoutRun run) {
    var one = new Held(run);
    held.add(one);
    renewal.workArrived();
    return one;
  }

  public void start() {
    renewal.task().start();
  }

  /// Returns whether any turn is running.
  private boolean renew() {
    var now = System.nanoTime();
    var old = held.stream().filter(one -> one.isHalfOver(now)).toList();
    if (!old.isEmpty()) {
      var runs = old.stream().map(one -> one.run).toList();
      transactions.write(connection -> renew(connection, runs));
      old.forEach(one -> one.renewedAt = now);
    }
    return !held.isEmpty();
  }

  private int renew(Connection connection, List<CheckoutRun> runs) throws SQLException {
    try (var run = StatementRun.of(connection, RENEW)) {
      return run.number(lease.toMillis())
          .rows(runs, CheckoutRunWriter::bindKeys)
          .execute()
          .take(_ -> {});
    }
  }
}
