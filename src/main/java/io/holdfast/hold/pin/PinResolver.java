package io.holdfast.hold.pin;

import io.holdfast.commitment.Ledger;
import io.holdfast.commitment.PinResolution.Claimed;
import io.holdfast.commitment.PinResolution.Ended;
import io.holdfast.commitment.PinResolution.EpochEnded;
import io.holdfast.commitment.PinResolution.Unpinned;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Resolves pins whose commit has not ended, because the process died or Postgres went away.
/// Postgres invalidates the pin in the same step in which it reads the hold; only then is the hold
/// unpinned in Redis. While Postgres is away the pin stays, and the next sweep tries again.
@Singleton
public final class PinResolver {
  private static final Logger LOG = LoggerFactory.getLogger(PinResolver.class);

  private static final int CONCURRENT_MAX = 4;

  private final Ledger ledger;
  private final RedisSettler settler;
  private final ExecutorService executor;
  private final Semaphore permits = new Semaphore(CONCURRENT_MAX);

  PinResolver(
      Ledger ledger,
      RedisSettler settler,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.ledger = ledger;
    this.settler = settler;
    this.executor = executor;
  }

  /// Does nothing while too many pins are being resolved: the sweep finds the hold again.
  ///
  /// @param epoch in which the hold was read as pinned
  public void resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    if (permits.tryAcquire()) {
      executor.execute(
          () -> {
            try {
              resolveNow(pool, pinned, epoch).toCompletableFuture().join();
            } catch (PostgresUnavailable e) {
              LOG.debug("{} stays pinned", pinned.id(pool), e);
            } finally {
              permits.release();
            }
          });
    }
  }

  private CompletionStage<Boolean> resolveNow(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return switch (ledger.resolve(pool, pinned, epoch)) {
      case Unpinned(var next) -> settler.unpin(pool, pinned, next);
      case Ended(var hold, var items) ->
          settler.settle(SettleCommand.ofSale(pool, hold, null, items));
      case Claimed(var until) -> settler.keep(pool, pinned, until);
      case EpochEnded _ -> CompletableFuture.completedStage(false);
    };
  }
}
