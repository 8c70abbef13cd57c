package io.holdfast.hold;

import io.holdfast.hold.pin.PinSettings;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.hold.seatsearch.AdjacentSeatSearch;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.redis.ScriptBatches;
import io.holdfast.seeding.PoolScripts;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/// The scripts of `redis-scripts/hold/`, one method each: the texts of a call in their order. Calls
/// of one script and one pool travel in batches. Ends with the outcome, with `RedisUnavailable` or
/// with `Overloaded`; every call may be repeated as it is, as the script's *Replay* line says.
@Singleton
public final class HoldScripts {
  private static final Script PLACE = Script.named("hold/place");
  private static final Script BEST = Script.named("hold/best");
  private static final Script EXTEND = Script.named("hold/extend");
  private static final Script RELEASE = Script.named("hold/release");
  private static final Script EXPIRE = Script.named("hold/expire");
  private static final Script REFUSE = Script.named("hold/refuse");
  private static final Script SWEEP = Script.named("hold/sweep");
  private static final Script KEEP = Script.named("hold/keep");
  private static final Script READ = Script.named("hold/read");
  private static final Script PIN = Script.named("hold/pin");
  private static final Script UNPIN = Script.named("hold/unpin");
  private static final Script SETTLE = Script.named("hold/settle");
  private static final Script RECOLLECT = Script.named("hold/recollect");

  /// So many seats that are only looked at cost as much as an item that is written.
  private static final int SEATS_AN_ITEM = 4;

  /// Items of a hold of which nothing else is known.
  private static final int FEW = 4;

  private final ScriptBatches batches;
  private final RedisScripts scripts;
  private final PoolScripts pools;
  private final ScriptActivity activity;
  private final List<String> ofPins;

  HoldScripts(
      ScriptBatches batches,
      RedisScripts scripts,
      PoolScripts pools,
      ScriptActivity activity,
      PinSettings pins) {
    this.batches = batches;
    this.scripts = scripts;
    this.pools = pools;
    this.activity = activity;
    this.ofPins = List.of(ms(pins.pin()), ms(pins.maxClockSkew()), ms(pins.grace()));
  }

  CompletionStage<String> place(IdempotentRequest call, PlaceHoldBody wish, String salt) {
    var policy = call.pool().policy();
    return spend(
        PLACE,
        call.pool().name(),
        List.of(ms(policy.window()), Integer.toString(policy.maxHoldsPerRequester())),
        wish.items().size(),
        call.caller(),
        call.token().value(),
        call.digest().value(),
        wish.requester(),
        ms(wish.lease()),
        salt,
        String.join("\n", wish.items()));
  }

  CompletionStage<String> best(
      IdempotentRequest call,
      PlaceHoldBody wish,
      String salt,
      AdjacentSeatSearch.Question question) {
    var policy = call.pool().policy();
    return spend(
        BEST,
        call.pool().name(),
        List.of(
            ms(policy.window()),
            Integer.toString(policy.maxHoldsPerRequester()),
            Integer.toString(call.pool().itemCount())),
        wish.best() + question.seats() / SEATS_AN_ITEM,
        call.caller(),
        call.token().value(),
        call.digest().value(),
        wish.requester(),
        ms(wish.lease()),
        salt,
        Integer.toString(wish.best()),
        question.known(),
        question.manner(),
        String.join(OutcomeCodec.SEPARATOR, question.parts()));
  }

  CompletionStage<String> release(IdempotentRequest call, HoldId hold, String requester) {
    return onHold(RELEASE, List.of(), call, hold, requester)
        .whenComplete((reply, failure) -> activity.spent(hold.pool(), reply, failure));
  }

  CompletionStage<String> expire(IdempotentRequest call, HoldId hold, boolean isForced) {
    return onHold(EXPIRE, List.of(), call, hold, isForced ? "force" : "")
        .whenComplete((reply, failure) -> activity.spent(hold.pool(), reply, failure));
  }

  CompletionStage<String> pin(IdempotentRequest call, HoldId hold, String requester, long fence) {
    return onHold(PIN, ofPins, call, hold, requester, Long.toString(fence))
        .whenComplete((reply, failure) -> activity.pinned(hold.pool(), reply, failure));
  }

  private CompletionStage<String> onHold(
      Script script, List<String> header, IdempotentRequest call, HoldId hold, String... more) {
    var texts = new String[5 + more.length];
    texts[0] = call.caller();
    texts[1] = call.token().value();
    texts[2] = call.digest().value();
    texts[3] = hold.fence().toString();
    texts[4] = hold.salt();
    System.arraycopy(more, 0, texts, 5, more.length);
    return batches.call(script, hold.pool(), header, itemsOf(call.pool()), texts);
  }

  CompletionStage<String> refuse(IdempotentRequest call, TokenAction action, String outcome) {
    return spend(
        REFUSE,
        call.pool().name(),
        List.of(),
        0,
        call.caller(),
        call.token().value(),
        call.digest().value(),
        action.word(),
        outcome);
  }

  /// @param next what Postgres has written
  public CompletionStage<String> unpin(PoolName pool, Fence fence, long pin, long next) {
    return batches
        .call(
            UNPIN, pool, List.of(), FEW, fence.toString(), Long.toString(pin), Long.toString(next))
        .whenComplete((_, _) -> activity.due(pool, 0));
  }

  public CompletionStage<String> keep(PoolName pool, Fence fence, long pin, Instant until) {
    var untilMs = until.toEpochMilli();
    return batches
        .call(
            KEEP,
            pool,
            List.of(),
            FEW,
            fence.toString(),
            Long.toString(pin),
            Long.toString(untilMs))
        .whenComplete((_, _) -> activity.due(pool, untilMs));
  }

  public CompletionStage<String> settle(SettleCommand settlement) {
    return batches
        .call(SETTLE, settlement.pool(), List.of(), settlement.items(), settlement.texts())
        .whenComplete((_, _) -> activity.wrote(settlement.pool()));
  }

  CompletionStage<String> extend(
      Pool pool, String caller, HoldId hold, String requester, long fence) {
    return batches.call(
        EXTEND,
        hold.pool(),
        List.of(),
        itemsOf(pool),
        caller,
        hold.fence().toString(),
        hold.salt(),
        requester,
        Long.toString(fence));
  }

  CompletionStage<String> read(PoolName pool, List<Fence> fences) {
    var all = fences.stream().map(Fence::toString).collect(Collectors.joining("\n"));
    return batches.call(READ, pool, List.of(), fences.size(), all);
  }

  /// How the pool stands.
  CompletionStage<String> count(PoolName pool) {
    return batches.unlessAway(pool, () -> pools.count(pool)).thenApply(List::getFirst);
  }

  CompletionStage<String> recollect(Pool pool, String caller, Token token) {
    return batches.call(RECOLLECT, pool.name(), List.of(), 0, caller, token.value());
  }

  /// Not one of many calls: the reply tells of each hold that was due.
  CompletionStage<List<String>> sweep(PoolName pool, int most) {
    return scripts
        .call(SWEEP, pool, Integer.toString(most))
        .whenComplete((reply, _) -> activity.swept(pool, reply));
  }

  private CompletionStage<String> spend(
      Script script, PoolName pool, List<String> header, int items, String... texts) {
    return batches
        .call(script, pool, header, items, texts)
        .whenComplete((reply, failure) -> activity.spent(pool, reply, failure));
  }

  /// Of a hold, as far as can be told from outside: half of what it may have.
  private static int itemsOf(Pool pool) {
    return Math.max(1, pool.policy().maxItemsPerHold() / 2);
  }

  private static String ms(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
