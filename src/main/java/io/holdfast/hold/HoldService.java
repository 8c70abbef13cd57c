package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Full;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Recollected;
import io.holdfast.hold.HoldOutcome.Seen;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.Stands;
import io.holdfast.hold.seatsearch.AdjacentSeatSearch;
import io.holdfast.idempotency.Token;
import io.holdfast.journal.JournalBackpressure;
import io.holdfast.journal.RequestRate;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.TokenAction;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
import io.holdfast.seeding.PoolSeeder;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Where holds are taken, kept, given back and ended: one script call each, nothing else. A pool
/// that Redis does not know is seeded on the way.
@Singleton
public final class HoldService {
  private static final String UNSEEDED = "UNSEEDED\t";
  private static final int SWEEP_MAX = 100;

  private final HoldScripts scripts;
  private final PoolSeeder seeding;
  private final JournalBackpressure pressure;
  private final HoldIdRandom salts;
  private final RequestRate rate;

  HoldService(
      HoldScripts scripts,
      PoolSeeder seeding,
      JournalBackpressure pressure,
      HoldIdRandom salts,
      RequestRate rate) {
    this.scripts = scripts;
    this.seeding = seeding;
    this.pressure = pressure;
    this.salts = salts;
    this.rate = rate;
  }

  public CompletionStage<TokenOutcome> place(IdempotentRequest call, PlaceHoldBody wish) {
    var salt = salts.next();
    return journalled(call.pool(), () -> scripts.place(call, wish, salt));
  }

  /// @param reading of the reply, which tells more than the outcome
  public CompletionStage<TokenOutcome> best(
      IdempotentRequest call,
      PlaceHoldBody wish,
      AdjacentSeatSearch.Question question,
      Function<String, TokenOutcome> reading) {
    var salt = salts.next();
    return journalled(call.pool(), () -> scripts.best(call, wish, salt, question), reading);
  }

  CompletionStage<TokenOutcome> release(IdempotentRequest call, HoldId hold, String requester) {
    return journalled(call.pool(), () -> scripts.release(call, hold, requester));
  }

  CompletionStage<TokenOutcome> expire(IdempotentRequest call, HoldId hold, boolean isForced) {
    return journalled(call.pool(), () -> scripts.expire(call, hold, isForced));
  }

  /// Ends with `Pinning`, with a replay, or with what keeps a token from being spent here.
  public CompletionStage<TokenOutcome> pin(
      IdempotentRequest call, HoldId hold, String requester, long fence) {
    return seeded(
        call.pool(), () -> scripts.pin(call, hold, requester, fence), OutcomeCodec::readPin);
  }

  /// Keeps a refusal that was decided without Redis, unless the token knows better.
  public CompletionStage<TokenOutcome> refuse(
      IdempotentRequest call, TokenAction action, Invalid refusal) {
    var outcome = OutcomeCodec.format(refusal);
    return journalled(call.pool(), () -> scripts.refuse(call, action, outcome));
  }

  /// @param word of an outcome that has nothing to add
  CompletionStage<TokenOutcome> refuse(IdempotentRequest call, TokenAction action, String word) {
    return journalled(call.pool(), () -> scripts.refuse(call, action, word + "\t"));
  }

  CompletionStage<TokenOutcome> extend(
      Pool pool, String caller, HoldId hold, String requester, long fence) {
    return seeded(
        pool, () -> scripts.extend(pool, caller, hold, requester, fence), OutcomeCodec::read);
  }

  /// Ends with `Seen`, which leaves out what Redis does not have, or with `Away`.
  CompletionStage<TokenOutcome> read(Pool pool, List<Fence> fences) {
    return seeded(pool, () -> scripts.read(pool.name(), fences), HoldService::seen);
  }

  /// Ends with `Recollected` or with `Away`.
  CompletionStage<TokenOutcome> recollect(Pool pool, String caller, Token token) {
    return seeded(
        pool,
        () -> scripts.recollect(pool, caller, token),
        reply -> TokenOutcome.fresh(new Recollected(StoredTokenOutcome.read(reply))));
  }

  /// Ends with `Stands` or with `Away`.
  public CompletionStage<TokenOutcome> standing(Pool pool) {
    return seeded(
        pool,
        () -> scripts.count(pool.name()),
        reply -> TokenOutcome.fresh(new Stands(PoolCounts.read(reply))));
  }

  /// Ends what has lapsed, as the sweeper would in a moment.
  public CompletionStage<List<String>> sweep(Pool pool) {
    return scripts.sweep(pool.name(), SWEEP_MAX);
  }

  /// What writes a line waits while the journal is long, and is refused while it is full.
  private CompletionStage<TokenOutcome> journalled(
      Pool pool, Supplier<CompletionStage<String>> script) {
    return journalled(pool, script, OutcomeCodec::read);
  }

  private CompletionStage<TokenOutcome> journalled(
      Pool pool, Supplier<CompletionStage<String>> script, Function<String, TokenOutcome> reading) {
    if (pressure.isFull(pool.name())) {
      return CompletableFuture.completedStage(TokenOutcome.fresh(new Full()));
    }
    var delay = pressure.delayFor(pool.name());
    return delay.isZero()
        ? seeded(pool, script, reading)
        : after(delay).thenCompose(_ -> seeded(pool, script, reading));
  }

  private CompletionStage<TokenOutcome> seeded(
      Pool pool, Supplier<CompletionStage<String>> script, Function<String, TokenOutcome> reading) {
    rate.count();
    return script
        .get()
        .thenCompose(
            reply ->
                isUnseeded(reply)
                    ? afterSeeding(pool, reply, script, reading)
                    : CompletableFuture.completedStage(reading.apply(reply)))
        .exceptionally(HoldService::notDecided);
  }

  /// What keeps a call from being decided is an outcome too.
  private static TokenOutcome notDecided(Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return switch (cause) {
      case Overloaded overloaded -> TokenOutcome.fresh(new Shed(overloaded.retryAfter()));
      case RedisUnavailable lost ->
          TokenOutcome.fresh(new Away(lost.isDefinite(), "Redis gave no answer"));
      case null, default -> throw new CompletionException(cause);
    };
  }

  private CompletionStage<TokenOutcome> afterSeeding(
      Pool pool,
      String refusal,
      Supplier<CompletionStage<String>> script,
      Function<String, TokenOutcome> reading) {
    return seeding
        .open(pool, refusal.substring(refusal.indexOf('\t') + 1))
        .thenCompose(isOpen -> isOpen ? script.get() : CompletableFuture.completedStage(refusal))
        .thenApply(
            reply ->
                isUnseeded(reply)
                    ? TokenOutcome.fresh(new Away(true, "the pool is being brought into Redis"))
                    : reading.apply(reply));
  }

  private static boolean isUnseeded(String reply) {
    return reply.startsWith(UNSEEDED);
  }

  /// HOLDS and the time; behind record separators, the records.
  private static TokenOutcome seen(String reply) {
    var parts = reply.split(OutcomeCodec.SEPARATOR, -1);
    var records =
        Stream.of(parts)
            .skip(1)
            .filter(record -> !record.isEmpty())
            .map(HoldRecord::parse)
            .toList();
    var at = Instant.ofEpochMilli(Long.parseLong(parts[0].substring(parts[0].indexOf('\t') + 1)));
    return TokenOutcome.fresh(new Seen(at, records));
  }

  private static CompletionStage<Void> after(Duration delay) {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
  }
}
