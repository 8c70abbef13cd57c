package io.holdfast.checkout.saga;

import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Keeps the leases of runs whose turn takes long. What a turn comes to is stored only under the
/// lease that it began with: if that ended while a provider lets us wait, the next runner would ask
/// and wait as long, and so on, and nobody would ever count a try.
@Singleton
public final class RunLeases {
  /// Longer than any turn whose calls end in time; whatever takes longer may be another's.
  private static final Duration TURN_MAX = Duration.ofMinutes(5);

  /// How often a lease is looked at while it lasts.
  private static final int RENEWALS = 8;

  private final Transactions transactions;
  private final Duration lease;
  private final Set<Held> underWay = ConcurrentHashMap.newKeySet();
  private final OnDemandTask renewal;

  RunLeases(Transactions transactions, CheckoutSettings settings, PeriodicTasks tasks) {
    this.transactions = transactions;
    this.lease = settings.lease();
    this.renewal =
        new OnDemandTask(tasks, "checkout-leases", lease.dividedBy(RENEWALS), this::renew);
  }

  /// A run for the time of one turn, at whose beginning its lease was whole.
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
      underWay.remove(this);
    }
  }

  public Held hold(CheckoutRun run) {
    var held = new Held(run);
    underWay.add(held);
    renewal.workCame();
    return held;
  }

  public void start() {
    renewal.task().start();
  }

  /// Returns whether any run is under way.
  private boolean renew() {
    var now = System.nanoTime();
    var old = underWay.stream().filter(held -> held.isHalfOver(now)).toList();
    if (!old.isEmpty()) {
      var runs = old.stream().map(held -> held.run).toList();
      transactions.write(connection -> CheckoutRunWriter.renew(connection, runs, lease));
      old.forEach(held -> held.renewedAt = now);
    }
    return !underWay.isEmpty();
  }
}
