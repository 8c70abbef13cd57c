package io.holdfast.commitment;

import io.holdfast.commitment.sale.GroupCommitter;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletionStage;

/// Who has bought what. One place decides, and it is Postgres.
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

  /// A sale may arrive soon, so that the next batch waits for it a moment. `present` follows when
  /// it does, and when it does not.
  public void announce() {
    committer.announce();
  }

  public void present() {
    committer.present();
  }

  /// Sells what a hold holds, once, whatever happens. Answers when it is durable and was looked at
  /// a second time, on a thread that may block.
  public CompletionStage<CommitOutcome> confirm(ConfirmRequest request) {
    return committer.confirm(request);
  }

  /// Releases or expires a hold that is pinned. Whether it still could be ended, its row decides;
  /// the outcome is kept under the token.
  public CommitOutcome end(EndHoldRequest call) {
    return endings.end(call);
  }

  /// Shuts out this pin and all older ones, or tells how the hold has ended. Waits for a
  /// transaction that is under way on it.
  ///
  /// @param epoch the life of Redis' memory in which it was seen pinned
  /// @throws io.holdfast.postgres.PostgresUnavailable if that cannot be told now
  public PinResolution resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return resolver.resolve(pool, pinned, epoch);
  }
}
