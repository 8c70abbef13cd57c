package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.Full;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.Unseeded;
import io.holdfast.hold.seatsearch.AdjacentSeatSearch;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.journal.JournalBackpressure;
import io.holdfast.journal.RequestRate;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome.Refusal;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
import io.holdfast.seeding.PoolSeeder;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Places, extends, releases, expires and reads holds: one script call each. A call for a pool that
/// is not open in Redis seeds the pool and is sent again. A call that writes to the journal is
/// delayed while the journal is long and refused while it is full.
@Singleton
public final class HoldService {
  private static final int SWEEP_MAX = 100;

  private final HoldScripts scripts;
  private final PoolSeeder seeder;
  private final JournalBackpressure backpressure;
  private final HoldIdRandom salts;
  private final RequestRate rate;
  private final ReplayLog replays;

  HoldService(
      HoldScripts scripts,
      PoolSeeder seeder,
      JournalBackpressure backpressure,
      HoldIdRandom salts,
      RequestRate rate,
      ReplayLog replays) {
    this.scripts = scripts;
    this.seeder = seeder;
    this.backpressure = backpressure;
    this.salts = salts;
    this.rate = rate;
    this.replays = replays;
  }

  public CompletionStage<HoldOutcome> place(IdempotentRequest call, PlaceHoldBody body) {
    var salt = salts.next();
    return write(
        call,
        () ->
            body.quantity() == null
                ? scripts.place(call, body, salt)
                : scripts.take(call, body, salt));
  }

  /// Holds one value for exactly this time.
  ///
  /// @param metadata what is stored with the hold: a JSON object, or nothing
  public CompletionStage<HoldOutcome> reserve(
      IdempotentRequest call, String requester, ItemId value, Duration lease, String metadata) {
    var salt = salts.next();
    var items = List.of(value.value());
    return write(call, () -> scripts.place(call, requester, items, lease, salt, metadata));
  }

  /// Places a bid in an auction, or raises the requester's own.
  public CompletionStage<HoldOutcome> bid(
      IdempotentRequest call, String requester, long amountCents) {
    var salt = salts.next();
    return write(call, () -> scripts.bid(call, requester, amountCents, salt));
  }

  /// Returns `HoldsRead` with the live hold that has the item, if there is one.
  public CompletionStage<HoldOutcome> holder(Pool pool, ItemId item) {
    return send(pool, () -> scripts.holder(pool.name(), item.value()));
  }

  /// Returns `HeldAdjacent`, `SearchOn`, `PoolChanged`, a refusal, or what any other call can come
  /// to.
  public CompletionStage<HoldOutcome> best(
      IdempotentRequest call, PlaceHoldBody body, AdjacentSeatSearch.Question question) {
    var salt = salts.next();
    return write(call, () -> scripts.best(call, body, salt, question));
  }

  CompletionStage<HoldOutcome> release(IdempotentRequest call, HoldId hold, String requester) {
    return write(call, () -> scripts.release(call, hold, requester));
  }

  CompletionStage<HoldOutcome> expire(IdempotentRequest call, HoldId hold, boolean isForced) {
    return write(call, () -> scripts.expire(call, hold, isForced));
  }

  /// Stores a refusal that was decided without Redis, unless the token has an outcome.
  public CompletionStage<HoldOutcome> refuse(IdempotentRequest call, Refusal refusal) {
    return write(call, () -> scripts.refuse(call, refusal));
  }

  /// Returns `PinTried`, a replay, a collision, or that Redis is away.
  public CompletionStage<HoldOutcome> pin(
      IdempotentRequest call, HoldId hold, String requester, long fence) {
    return counted(call, send(call.pool(), () -> scripts.pin(call, hold, requester, fence)));
  }

  CompletionStage<HoldOutcome> extend(
      Pool pool, String caller, HoldId hold, String requester, long fence) {
    return send(pool, () -> scripts.extend(pool, caller, hold, requester, fence));
  }

  /// Returns `HoldsRead` without the holds that Redis does not have, or that Redis is away.
  CompletionStage<HoldOutcome> read(Pool pool, List<Fence> fences) {
    return send(pool, () -> scripts.read(pool.name(), fences));
  }

  /// Returns `TokenFound`, `TokenNotFound`, or that Redis is away.
  CompletionStage<HoldOutcome> findToken(Pool pool, String caller, Token token) {
    return send(pool, () -> scripts.findToken(pool, caller, token));
  }

  /// Returns `Counted`, or that Redis is away.
  public CompletionStage<HoldOutcome> count(Pool pool) {
    return send(pool, () -> scripts.count(pool.name()));
  }

  /// Ends holds whose lease is over, before the periodic sweep does. Returns when Redis has
  /// replied.
  public CompletionStage<?> sweep(Pool pool) {
    return scripts.sweep(pool.name(), SWEEP_MAX);
  }

  /// Sends a call under a token that writes to the journal of its pool.
  ///
  /// @param script is called again if the pool had to be seeded
  public CompletionStage<HoldOutcome> write(
      IdempotentRequest call, Supplier<CompletionStage<HoldOutcome>> script) {
    return counted(call, write(call.pool(), script));
  }

  /// Scripts decide nothing twice: a decision that is a replay is that of the same token.
  private CompletionStage<HoldOutcome> counted(
      IdempotentRequest call, CompletionStage<HoldOutcome> outcome) {
    return outcome.whenComplete(
        (decided, _) -> {
          if (decided instanceof Decided(_, var isReplay) && isReplay) {
            replays.count(call.caller(), call.action(), call.pool().name(), call.token());
          }
        });
  }

  private CompletionStage<HoldOutcome> write(
      Pool pool, Supplier<CompletionStage<HoldOutcome>> script) {
    if (backpressure.isFull(pool.name())) {
      return CompletableFuture.completedStage(new Full());
    }
    var delay = backpressure.delayFor(pool.name());
    return delay.isZero() ? send(pool, script) : after(delay).thenCompose(_ -> send(pool, script));
  }

  private static CompletionStage<Void> after(Duration delay) {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
  }

  /// @param script is called again if the pool had to be seeded
  public CompletionStage<HoldOutcome> send(
      Pool pool, Supplier<CompletionStage<HoldOutcome>> script) {
    rate.count();
    return script
        .get()
        .thenCompose(
            outcome ->
                outcome instanceof Unseeded(var why)
                    ? seedAndRepeat(pool, why, script)
                    : CompletableFuture.completedStage(outcome))
        .exceptionally(HoldService::unavailable);
  }

  private CompletionStage<HoldOutcome> seedAndRepeat(
      Pool pool, String why, Supplier<CompletionStage<HoldOutcome>> script) {
    var notOpen = new Away(true, "the pool is being loaded into Redis");
    return seeder
        .open(pool, why)
        .thenCompose(isOpen -> isOpen ? script.get() : CompletableFuture.completedStage(notOpen))
        .thenApply(outcome -> outcome instanceof Unseeded ? notOpen : outcome);
  }

  private static HoldOutcome unavailable(Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return switch (cause) {
      case Overloaded overloaded -> new Shed(overloaded.retryAfter());
      case RedisUnavailable lost -> new Away(lost.isDefinite(), "Redis gave no answer");
      case null, default -> throw new CompletionException(cause);
    };
  }
}
