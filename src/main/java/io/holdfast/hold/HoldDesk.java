package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Full;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Recollected;
import io.holdfast.hold.HoldOutcome.Seen;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.Stands;
import io.holdfast.idempotency.Token;
import io.holdfast.journal.CallRate;
import io.holdfast.journal.Pressure;
import io.holdfast.pool.Action;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
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
final class HoldDesk {
  private static final String UNSEEDED = "UNSEEDED\t";
  private static final int SWEEP_MAX = 100;

  private final HoldScripts scripts;
  private final Seeding seeding;
  private final Pressure pressure;
  private final Salts salts;
  private final CallRate rate;

  HoldDesk(HoldScripts scripts, Seeding seeding, Pressure pressure, Salts salts, CallRate rate) {
    this.scripts = scripts;
    this.seeding = seeding;
    this.pressure = pressure;
    this.salts = salts;
    this.rate = rate;
  }

  CompletionStage<Decision> place(TokenCall call, Wish wish) {
    var salt = salts.next();
    return journalled(call.pool(), () -> scripts.place(call, wish, salt));
  }

  /// @param reading of the reply, which tells more than the outcome
  CompletionStage<Decision> best(
      TokenCall call, Wish wish, Search.Question question, Function<String, Decision> reading) {
    var salt = salts.next();
    return journalled(call.pool(), () -> scripts.best(call, wish, salt, question), reading);
  }

  CompletionStage<Decision> release(TokenCall call, HoldId hold, String requester) {
    return journalled(call.pool(), () -> scripts.release(call, hold, requester));
  }

  CompletionStage<Decision> expire(TokenCall call, HoldId hold, boolean isForced) {
    return journalled(call.pool(), () -> scripts.expire(call, hold, isForced));
  }

  /// Ends with `Pinning`, with a replay, or with what keeps a token from being spent here.
  CompletionStage<Decision> pin(TokenCall call, HoldId hold, String requester, long fence) {
    return seeded(call.pool(), () -> scripts.pin(call, hold, requester, fence), Outcomes::readPin);
  }

  /// Keeps a refusal that was decided without Redis, unless the token knows better.
  CompletionStage<Decision> refuse(TokenCall call, Action action, Invalid refusal) {
    var outcome = Outcomes.format(refusal);
    return journalled(call.pool(), () -> scripts.refuse(call, action, outcome));
  }

  /// @param word of an outcome that has nothing to add
  CompletionStage<Decision> refuse(TokenCall call, Action action, String word) {
    return journalled(call.pool(), () -> scripts.refuse(call, action, word + "\t"));
  }

  CompletionStage<Decision> extend(
      Pool pool, String caller, HoldId hold, String requester, long fence) {
    return seeded(pool, () -> scripts.extend(pool, caller, hold, requester, fence), Outcomes::read);
  }

  /// Ends with `Seen`, which leaves out what Redis does not have, or with `Away`.
  CompletionStage<Decision> read(Pool pool, List<Fence> fences) {
    return seeded(pool, () -> scripts.read(pool.name(), fences), HoldDesk::seen);
  }

  /// Ends with `Recollected` or with `Away`.
  CompletionStage<Decision> recollect(Pool pool, String caller, Token token) {
    return seeded(
        pool,
        () -> scripts.recollect(pool, caller, token),
        reply -> Decision.fresh(new Recollected(Recollection.read(reply))));
  }

  /// Ends with `Stands` or with `Away`.
  CompletionStage<Decision> standing(Pool pool) {
    return seeded(
        pool,
        () -> scripts.count(pool.name()),
        reply -> Decision.fresh(new Stands(Standing.read(reply))));
  }

  /// Ends what has lapsed, as the sweeper would in a moment.
  CompletionStage<List<String>> sweep(Pool pool) {
    return scripts.sweep(pool.name(), SWEEP_MAX);
  }

  /// What writes a line waits while the journal is long, and is refused while it is full.
  private CompletionStage<Decision> journalled(
      Pool pool, Supplier<CompletionStage<String>> script) {
    return journalled(pool, script, Outcomes::read);
  }

  private CompletionStage<Decision> journalled(
      Pool pool, Supplier<CompletionStage<String>> script, Function<String, Decision> reading) {
    if (pressure.isFull(pool.name())) {
      return CompletableFuture.completedStage(Decision.fresh(new Full()));
    }
    var delay = pressure.delayFor(pool.name());
    return delay.isZero()
        ? seeded(pool, script, reading)
        : after(delay).thenCompose(_ -> seeded(pool, script, reading));
  }

  private CompletionStage<Decision> seeded(
      Pool pool, Supplier<CompletionStage<String>> script, Function<String, Decision> reading) {
    rate.count();
    return script
        .get()
        .thenCompose(
            reply ->
                isUnseeded(reply)
                    ? afterSeeding(pool, reply, script, reading)
                    : CompletableFuture.completedStage(reading.apply(reply)))
        .exceptionally(HoldDesk::notDecided);
  }

  /// What keeps a call from being decided is an outcome too.
  private static Decision notDecided(Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return switch (cause) {
      case Overloaded overloaded -> Decision.fresh(new Shed(overloaded.retryAfter()));
      case RedisUnavailable lost ->
          Decision.fresh(new Away(lost.isDefinite(), "Redis gave no answer"));
      case null, default -> throw new CompletionException(cause);
    };
  }

  private CompletionStage<Decision> afterSeeding(
      Pool pool,
      String refusal,
      Supplier<CompletionStage<String>> script,
      Function<String, Decision> reading) {
    return seeding
        .open(pool, refusal.substring(refusal.indexOf('\t') + 1))
        .thenCompose(isOpen -> isOpen ? script.get() : CompletableFuture.completedStage(refusal))
        .thenApply(
            reply ->
                isUnseeded(reply)
                    ? Decision.fresh(new Away(true, "the pool is being brought into Redis"))
                    : reading.apply(reply));
  }

  private static boolean isUnseeded(String reply) {
    return reply.startsWith(UNSEEDED);
  }

  /// HOLDS and the time; behind record separators, the records.
  private static Decision seen(String reply) {
    var parts = reply.split(Outcomes.SEPARATOR, -1);
    var records =
        Stream.of(parts)
            .skip(1)
            .filter(record -> !record.isEmpty())
            .map(HoldRecord::parse)
            .toList();
    var at = Instant.ofEpochMilli(Long.parseLong(parts[0].substring(parts[0].indexOf('\t') + 1)));
    return Decision.fresh(new Seen(at, records));
  }

  private static CompletionStage<Void> after(Duration delay) {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
  }
}
