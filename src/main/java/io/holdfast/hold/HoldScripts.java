package io.holdfast.hold;

import io.holdfast.activity.ActivePools;
import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.HeldAdjacent;
import io.holdfast.hold.HoldOutcome.PinTried;
import io.holdfast.hold.HoldReplies.Sweep;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.hold.seatsearch.AdjacentSeatSearch;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Refusal;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import io.holdfast.redis.ScriptBatches;
import io.holdfast.runtime.Overloaded;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.web.Metadata;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Calls the scripts of `redis-scripts/hold/`, one method each, and enters the pools that they
/// write to in the index. Calls of one script for one pool are batched. A call ends with its
/// outcome, with `RedisUnavailable` or with `Overloaded`. Every call may be repeated, as the
/// *Replay* line of its script says.
@Singleton
public final class HoldScripts {
  private static final Script PLACE = Script.named("hold/place");
  private static final Script BID = Script.named("auction/bid");
  private static final Script TAKE = Script.named("hold/take");
  private static final Script BEST = Script.named("hold/best");
  private static final Script EXTEND = Script.named("hold/extend");
  private static final Script RELEASE = Script.named("hold/release");
  private static final Script EXPIRE = Script.named("hold/expire");
  private static final Script REFUSE = Script.named("hold/refuse");
  private static final Script SWEEP = Script.named("hold/sweep");
  private static final Script KEEP = Script.named("hold/keep");
  private static final Script READ = Script.named("hold/read");
  private static final Script HOLDER = Script.named("hold/holder");
  private static final Script PIN = Script.named("hold/pin");
  private static final Script UNPIN = Script.named("hold/unpin");
  private static final Script SETTLE = Script.named("hold/settle");
  private static final Script FIND_TOKEN = Script.named("hold/lookup");

  /// Reading this many seats costs as much as writing one item.
  private static final int SEATS_PER_ITEM = 4;

  /// Assumed items of a hold of which only the fence is known.
  private static final int ITEMS_ASSUMED = 4;

  /// The close ends all bids in one transaction.
  private static final String BIDS_MAX = "10000";

  /// A pool without live holds is swept after this time, to remove old token buckets.
  private static final Duration TOKEN_SWEEP = Duration.ofMinutes(5);

  private final ScriptBatches batches;
  private final RedisScripts scripts;
  private final PoolScripts pools;
  private final ActivePools active;
  private final List<String> pinHeader;

  HoldScripts(
      ScriptBatches batches,
      RedisScripts scripts,
      PoolScripts pools,
      ActivePools active,
      PinSettings pins) {
    this.batches = batches;
    this.scripts = scripts;
    this.pools = pools;
    this.active = active;
    this.pinHeader = List.of(ms(pins.pin()), ms(pins.maxClockSkew()), ms(pins.grace()));
  }

  CompletionStage<HoldOutcome> place(IdempotentRequest call, PlaceHoldBody body, String salt) {
    var metadata = Metadata.format(body.metadata());
    return place(call, body.requester(), body.items(), body.lease(), salt, metadata);
  }

  /// @param metadata what is stored with the hold, or nothing
  CompletionStage<HoldOutcome> place(
      IdempotentRequest call,
      String requester,
      List<String> items,
      Duration lease,
      String salt,
      String metadata) {
    var policy = call.pool().policy();
    var header =
        List.of(
            ms(policy.window()),
            Integer.toString(policy.maxHoldsPerRequester()),
            call.pool().kind().makesItems() ? "CREATE" : "REFUSE");
    var texts =
        texts(call, requester, ms(lease), salt, String.join("\n", items), metadata, call.pass());
    return batches
        .call(PLACE, call.pool().name(), header, items.size(), texts)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(call.pool().name(), outcome, failure));
  }

  /// Holds a quantity.
  CompletionStage<HoldOutcome> take(IdempotentRequest call, PlaceHoldBody body, String salt) {
    var policy = call.pool().policy();
    var header = List.of(ms(policy.window()), Integer.toString(policy.maxHoldsPerRequester()));
    var quantity = Objects.requireNonNull(body.quantity()).toString();
    var metadata = Metadata.format(body.metadata());
    var texts =
        texts(call, body.requester(), ms(body.lease()), salt, quantity, metadata, call.pass());
    return batches
        .call(TAKE, call.pool().name(), header, 1, texts)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(call.pool().name(), outcome, failure));
  }

  /// Places a bid in an auction, or raises the requester's own.
  CompletionStage<HoldOutcome> bid(
      IdempotentRequest call, String requester, long amountCents, String salt) {
    var policy = call.pool().policy();
    var header = List.of(ms(policy.window()), BIDS_MAX);
    var texts = texts(call, requester, ms(policy.lease()), salt, Long.toString(amountCents));
    return batches
        .call(BID, call.pool().name(), header, 1, texts)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(call.pool().name(), outcome, failure));
  }

  CompletionStage<HoldOutcome> best(
      IdempotentRequest call,
      PlaceHoldBody body,
      String salt,
      AdjacentSeatSearch.Question question) {
    var policy = call.pool().policy();
    var header =
        List.of(
            ms(policy.window()),
            Integer.toString(policy.maxHoldsPerRequester()),
            Integer.toString(call.pool().itemCount()),
            Long.toString(call.pool().version()));
    var texts =
        texts(
            call,
            body.requester(),
            ms(body.lease()),
            salt,
            Integer.toString(body.best()),
            question.known(),
            question.manner(),
            String.join(HoldReplies.SEPARATOR, question.parts()),
            Metadata.format(body.metadata()),
            call.pass());
    var items = body.best() + question.seats() / SEATS_PER_ITEM;
    return batches
        .call(BEST, call.pool().name(), header, items, texts)
        .thenApply(HoldReplies::readBest)
        .whenComplete((outcome, failure) -> noteWrite(call.pool().name(), outcome, failure));
  }

  CompletionStage<HoldOutcome> release(IdempotentRequest call, HoldId hold, String requester) {
    return batches
        .call(RELEASE, hold.pool(), List.of(), itemsOf(call.pool()), texts(call, hold, requester))
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(hold.pool(), outcome, failure));
  }

  CompletionStage<HoldOutcome> expire(IdempotentRequest call, HoldId hold, boolean isForced) {
    var texts = texts(call, hold, isForced ? "force" : "");
    return batches
        .call(EXPIRE, hold.pool(), List.of(), itemsOf(call.pool()), texts)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(hold.pool(), outcome, failure));
  }

  CompletionStage<HoldOutcome> refuse(IdempotentRequest call, Refusal refusal) {
    var texts = texts(call, call.action().word(), OutcomeCodec.format(refusal));
    return batches
        .call(REFUSE, call.pool().name(), List.of(), 0, texts)
        .thenApply(HoldReplies::read)
        .whenComplete((outcome, failure) -> noteWrite(call.pool().name(), outcome, failure));
  }

  /// A written token is a line of the journal and an entry of a bucket; a new hold has a lease.
  public void noteWrite(PoolName pool, @Nullable HoldOutcome outcome, @Nullable Throwable failure) {
    if (outcome != null) {
      active.wrote(pool);
      active.due(pool, dueMs(outcome));
    } else if (mayBeExecuted(failure)) {
      active.changed(pool);
    }
  }

  private static long dueMs(HoldOutcome outcome) {
    return switch (outcome) {
      case Decided(Held(var hold), var isReplay) when !isReplay -> leaseEnd(hold);
      case HeldAdjacent(var hold, _) -> leaseEnd(hold);
      case HoldOutcome _ -> System.currentTimeMillis() + TOKEN_SWEEP.toMillis();
    };
  }

  private static long leaseEnd(HoldRecord hold) {
    return hold.leaseUntil().toEpochMilli();
  }

  /// Whether a call without a reply may have been executed.
  private static boolean mayBeExecuted(@Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof Overloaded)
        && !(cause instanceof RedisUnavailable lost && lost.isDefinite());
  }

  CompletionStage<HoldOutcome> pin(
      IdempotentRequest call, HoldId hold, String requester, long fence) {
    var texts = texts(call, hold, requester, Long.toString(fence));
    return batches
        .call(PIN, hold.pool(), pinHeader, itemsOf(call.pool()), texts)
        .thenApply(HoldReplies::readPin)
        .whenComplete((outcome, failure) -> notePin(hold.pool(), outcome, failure));
  }

  /// A pinned hold is due at the deadline of the pin, which may be earlier than the lease's end.
  private void notePin(PoolName pool, @Nullable HoldOutcome outcome, @Nullable Throwable failure) {
    if (outcome instanceof PinTried(PinResult.Pinned(_, var deadline, _))) {
      active.due(pool, deadline.toEpochMilli());
    } else if (outcome == null && mayBeExecuted(failure)) {
      active.due(pool, 0);
    }
  }

  /// Whether Redis has applied a decision of Postgres.
  public enum Applied {
    YES,
    /// The hold has ended or has another pin number.
    OTHER_PIN,
    UNSEEDED
  }

  /// @param next pin number that Postgres has written
  public CompletionStage<Applied> unpin(PoolName pool, Fence fence, long pin, long next) {
    return batches
        .call(UNPIN, pool, List.of(), ITEMS_ASSUMED, "" + fence, "" + pin, "" + next)
        .whenComplete((_, _) -> active.due(pool, 0))
        .thenApply(HoldReplies::readApplied);
  }

  public CompletionStage<Applied> keep(PoolName pool, Fence fence, long pin, Instant until) {
    var untilMs = until.toEpochMilli();
    return batches
        .call(KEEP, pool, List.of(), ITEMS_ASSUMED, "" + fence, "" + pin, "" + untilMs)
        .whenComplete((_, _) -> active.due(pool, untilMs))
        .thenApply(HoldReplies::readApplied);
  }

  public CompletionStage<Applied> settle(SettleCommand command) {
    return batches
        .call(SETTLE, command.pool(), List.of(), command.items(), command.texts())
        .whenComplete((_, _) -> active.wrote(command.pool()))
        .thenApply(HoldReplies::readApplied);
  }

  CompletionStage<HoldOutcome> extend(
      Pool pool, String caller, HoldId hold, String requester, long fence) {
    return batches
        .call(
            EXTEND,
            hold.pool(),
            List.of(),
            itemsOf(pool),
            caller,
            hold.fence().toString(),
            hold.salt(),
            requester,
            Long.toString(fence))
        .thenApply(HoldReplies::read);
  }

  CompletionStage<HoldOutcome> read(PoolName pool, List<Fence> fences) {
    var all = fences.stream().map(Fence::toString).collect(Collectors.joining("\n"));
    return batches
        .call(READ, pool, List.of(), fences.size(), all)
        .thenApply(HoldReplies::readHolds);
  }

  CompletionStage<HoldOutcome> holder(PoolName pool, String item) {
    return batches.call(HOLDER, pool, List.of(), 1, item).thenApply(HoldReplies::readHolds);
  }

  CompletionStage<HoldOutcome> count(PoolName pool) {
    return batches.unlessAway(pool, () -> pools.count(pool)).thenApply(HoldReplies::ofCount);
  }

  CompletionStage<HoldOutcome> findToken(Pool pool, String caller, Token token) {
    return batches
        .call(FIND_TOKEN, pool.name(), List.of(), 0, caller, token.value())
        .thenApply(HoldReplies::readToken);
  }

  /// Not batched: one call ends many holds.
  CompletionStage<Sweep> sweep(PoolName pool, int holdsMax) {
    return scripts
        .call(SWEEP, pool, Integer.toString(holdsMax))
        .whenComplete(
            (texts, _) -> {
              if (texts == null || texts.size() > 1) {
                active.wrote(pool);
              }
            })
        .thenApply(HoldReplies::readSweep);
  }

  private static String[] texts(IdempotentRequest call, HoldId hold, String... more) {
    var ofHold = Stream.of(hold.fence().toString(), hold.salt());
    return texts(call, Stream.concat(ofHold, Stream.of(more)).toArray(String[]::new));
  }

  private static String[] texts(IdempotentRequest call, String... more) {
    var texts = new String[3 + more.length];
    texts[0] = call.caller();
    texts[1] = call.token().value();
    texts[2] = call.digest().value();
    System.arraycopy(more, 0, texts, 3, more.length);
    return texts;
  }

  /// Estimate for a hold whose record is not known here: half of the pool's limit.
  private static int itemsOf(Pool pool) {
    return Math.max(1, pool.policy().maxItemsPerHold() / 2);
  }

  private static String ms(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
