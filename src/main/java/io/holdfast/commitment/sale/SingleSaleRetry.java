package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.sale.AttemptLog.Tried;
import io.holdfast.commitment.sale.SaleBatchResult.Cause;
import io.holdfast.commitment.sale.SaleBatchResult.Decided;
import io.holdfast.commitment.sale.SaleBatchResult.RolledBack;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sells a request in a separate transaction. It waits for locks, and its failure affects no other
/// request. An attempt that was rolled back is recorded too.
@Singleton
final class SingleSaleRetry {
  private static final Logger LOG = LoggerFactory.getLogger(SingleSaleRetry.class);

  /// Each one keeps a connection while it waits for a lock.
  private static final int CONCURRENT_MAX = 4;

  private static final int TRIES_MAX = 4;

  private final SaleTransaction sales;
  private final AttemptLog attempts;
  private final Semaphore permits = new Semaphore(CONCURRENT_MAX, true);

  SingleSaleRetry(SaleTransaction sales, AttemptLog attempts) {
    this.sales = sales;
    this.attempts = attempts;
  }

  CommitOutcome run(ConfirmRequest request) {
    permits.acquireUninterruptibly();
    try {
      return sell(request);
    } catch (RuntimeException e) {
      LOG.error("A sale failed unexpectedly", e);
      return new NotDecided(Cause.POISONED.message());
    } finally {
      permits.release();
    }
  }

  private CommitOutcome sell(ConfirmRequest request) {
    var lastReason = "the hold kept changing";
    for (var n = 0; n < TRIES_MAX; n++) {
      switch (sales.run(List.of(request), true)) {
        case Decided(var outcomes) -> {
          if (outcomes.getFirst() != null) {
            return outcomes.getFirst();
          }
        }
        case RolledBack(var cause, var reason) -> {
          lastReason = reason;
          if (cause != Cause.MOVED) {
            return rolledBack(request, cause, reason);
          }
        }
      }
    }
    return rolledBack(request, Cause.MOVED, lastReason);
  }

  private CommitOutcome rolledBack(ConfirmRequest request, Cause cause, String reason) {
    recordRolledBack(List.of(request), cause + ": " + reason);
    return switch (cause) {
      case LOCKED -> new Running();
      case MOVED, AWAY, POISONED -> new NotDecided(cause.message());
    };
  }

  void recordRolledBack(List<ConfirmRequest> requests, String reason) {
    attempts.rolledBack(
        requests.stream().map(request -> Tried.of(request, "ROLLED_BACK", reason)).toList());
  }
}
