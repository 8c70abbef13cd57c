package io.holdfast.hold.pin;

import io.holdfast.commitment.Ledger;
import io.holdfast.commitment.PinResolution.Claimed;
import io.holdfast.commitment.PinResolution.Ended;
import io.holdfast.commitment.PinResolution.Outlived;
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

/// What becomes of a hold whose commit never came to an end, because its process died or Postgres
/// went away. Postgres is asked, and shuts the commit out in the same step; only then is the hold
/// plain again in Redis. While Postgres is away the pin stays, and the next sweep asks again.
@Singleton
public final class PinResolver {
  private static final Logger LOG = LoggerFactory.getLogger(PinResolver.class);

  private static final int AT_ONCE_MAX = 4;

  private final Ledger ledger;
  private final RedisSettler settling;
  private final ExecutorService executor;
  private final Semaphore places = new Semaphore(AT_ONCE_MAX);

  PinResolver(
      Ledger ledger,
      RedisSettler settling,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.ledger = ledger;
    this.settling = settling;
    this.executor = executor;
  }

  /// Whoever finds no place is not waited for: the hold is due again in a moment.
  ///
  /// @param epoch in which it was seen pinned
  public void resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    if (places.tryAcquire()) {
      executor.execute(
          () -> {
            try {
              resolved(pool, pinned, epoch).toCompletableFuture().join();
            } catch (PostgresUnavailable e) {
              LOG.debug("{} stays pinned", pinned.id(pool), e);
            } finally {
              places.release();
            }
          });
    }
  }

  private CompletionStage<Boolean> resolved(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return switch (ledger.resolve(pool, pinned, epoch)) {
      case Unpinned(var next) -> settling.unpin(pool, pinned, next);
      case Ended(var hold, var items) ->
          settling.settle(SettleCommand.ofSale(pool, hold, null, items));
      case Claimed(var until) -> settling.keep(pool, pinned, until);
      case Outlived _ -> CompletableFuture.completedStage(false);
    };
  }
}
