package io.holdfast.checkout;

import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the leases of runs whose turn takes long. What a turn comes to is stored only under the
/// lease that it began with: if that ended while a provider lets us wait, the next runner would ask
/// and wait as long, and so on, and nobody would ever count a try.
@Singleton
final class RunLeases {
  private static final Logger LOG = LoggerFactory.getLogger(RunLeases.class);

  /// Longer than any turn whose calls end in time; whatever takes longer may be another's.
  private static final Duration TURN_MAX = Duration.ofMinutes(5);

  private final Transactions transactions;
  private final Duration lease;
  private final Set<Held> underWay = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isRenewing = new AtomicBoolean();

  RunLeases(Transactions transactions, CheckoutSettings settings) {
    this.transactions = transactions;
    this.lease = settings.lease();
  }

  /// A run for the time of one turn, at whose beginning its lease was whole.
  final class Held implements AutoCloseable {
    private final Run run;
    private final long since = System.nanoTime();
    private volatile long renewedAt = since;

    private Held(Run run) {
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

  Held hold(Run run) {
    var held = new Held(run);
    underWay.add(held);
    return held;
  }

  /// To be called several times in half a lease. While Postgres takes its time, one call waits for
  /// it and the others do nothing.
  void renew() {
    if (isRenewing.compareAndSet(false, true)) {
      try {
        renewOld(System.nanoTime());
      } finally {
        isRenewing.set(false);
      }
    }
  }

  private void renewOld(long now) {
    var old = underWay.stream().filter(held -> held.isHalfOver(now)).toList();
    if (old.isEmpty()) {
      return;
    }
    try {
      var runs = old.stream().map(held -> held.run).toList();
      transactions.write(connection -> RunWrites.renew(connection, runs, lease));
      old.forEach(held -> held.renewedAt = now);
    } catch (PostgresUnavailable e) {
      LOG.debug("the leases of {} checkouts end", old.size(), e);
    }
  }
}
