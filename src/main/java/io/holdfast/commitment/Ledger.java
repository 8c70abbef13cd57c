package io.holdfast.commitment;

import io.holdfast.commitment.sale.GroupCommitter;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletionStage;

/// The entry point of the ledger: sells, ends and resolves holds in Postgres, which alone decides.
@Singleton
public final class Ledger {
  private final GroupCommitter committer;
  private final PinnedHoldEnder endings;
  private final PinArbiter resolver;

  public Ledger(GroupCommitter committer, PinnedHoldEnder endings, PinArbiter resolver) {
    this.committer = committer;
    this.endings = endings;
    this.resolver = resolver;
  }

  /// Makes the next batch wait briefly for a sale that may arrive soon. The caller must call
  /// `stopExpectingSale` when the sale arrives, and also when it does not.
  public void expectSale() {
    committer.expectSale();
  }

  public void stopExpectingSale() {
    committer.stopExpectingSale();
  }

  /// Sells the items of a hold exactly once. Completes when the sale is durable and verified, on a
  /// thread that may block.
  public CompletionStage<CommitOutcome> confirm(ConfirmRequest request) {
    return committer.confirm(request);
  }

  /// Releases or expires a pinned hold. The row of the hold decides whether that is still possible.
  /// The outcome is stored under the token.
  public CommitOutcome end(EndHoldRequest call) {
    return endings.end(call);
  }

  /// Invalidates this pin and all older ones, or returns how the hold has ended. Waits for a
  /// transaction that has locked the hold.
  ///
  /// @param epoch in which Redis returned the pin
  /// @throws io.holdfast.postgres.PostgresUnavailable if Postgres does not answer
  public PinResolution resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return resolver.resolve(pool, pinned, epoch);
  }
}
