package io.holdfast.commitment;

import io.holdfast.commitment.AttemptLog.Tried;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.SaleBatchResult.Cause;
import io.holdfast.commitment.SaleBatchResult.Decided;
import io.holdfast.commitment.SaleBatchResult.RolledBack;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Requests that run alone: they wait for whoever is in their way, and what goes wrong is theirs
/// alone. An attempt that was rolled back is on record all the same.
@Singleton
final class SingleSaleRetry {
  private static final Logger LOG = LoggerFactory.getLogger(SingleSaleRetry.class);

  /// At a time; each keeps a connection while it waits.
  private static final int AT_ONCE_MAX = 4;

  private static final int TRIES_MAX = 4;

  private final SaleTransaction sales;
  private final AttemptLog attempts;
  private final Semaphore turns = new Semaphore(AT_ONCE_MAX, true);

  SingleSaleRetry(SaleTransaction sales, AttemptLog attempts) {
    this.sales = sales;
    this.attempts = attempts;
  }

  CommitOutcome run(ConfirmRequest request) {
    turns.acquireUninterruptibly();
    try {
      return tried(request);
    } catch (RuntimeException e) {
      LOG.error("A sale met an error that nobody foresaw", e);
      return new NotDecided(Cause.POISONED.told());
    } finally {
      turns.release();
    }
  }

  void recordAway(List<ConfirmRequest> requests, String why) {
    attempts.rolledBack(
        requests.stream().map(request -> Tried.of(request, "ROLLED_BACK", why)).toList());
  }

  private CommitOutcome tried(ConfirmRequest request) {
    var why = "the hold kept changing";
    for (var n = 0; n < TRIES_MAX; n++) {
      switch (sales.run(List.of(request), true)) {
        case Decided(var outcomes) -> {
          if (outcomes.getFirst() != null) {
            return outcomes.getFirst();
          }
        }
        case RolledBack(var cause, var reason) -> {
          why = reason;
          if (cause != Cause.MOVED) {
            return rolledBack(request, cause, reason);
          }
        }
      }
    }
    return rolledBack(request, Cause.MOVED, why);
  }

  private CommitOutcome rolledBack(ConfirmRequest request, Cause cause, String why) {
    recordAway(List.of(request), cause + ": " + why);
    return switch (cause) {
      case LOCKED -> new Running();
      case MOVED, AWAY, POISONED -> new NotDecided(cause.told());
    };
  }
}
