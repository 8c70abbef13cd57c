package io.holdfast.confirm;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.PinTried;
import io.holdfast.hold.HoldQueries;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Limit;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.pool.TokenAction;
import io.holdfast.seeding.ItemEntries;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The calls of a checkout to the intent layer, for threads that may block. Writes may be missed by
/// Redis: the outbox relay or the pin resolver repeats them.
@Singleton
public final class CheckoutHoldClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final HoldService holds;
  private final HoldQueries queries;
  private final RedisSettler settler;
  private final OutboxAcknowledger outbox;
  private final PoolRegistry pools;
  private final ClockSkew skew;
  private final PinSettings settings;

  CheckoutHoldClient(
      HoldService holds,
      HoldQueries queries,
      RedisSettler settler,
      OutboxAcknowledger outbox,
      PoolRegistry pools,
      ClockSkew skew,
      PinSettings settings) {
    this.holds = holds;
    this.queries = queries;
    this.settler = settler;
    this.outbox = outbox;
    this.pools = pools;
    this.skew = skew;
    this.settings = settings;
  }

  /// The result of reading a hold.
  public sealed interface Look {
    record Found(HoldRecord hold) implements Look {}

    record Missing() implements Look {}

    record Away() implements Look {}
  }

  /// The result of placing a hold again.
  public sealed interface Placing {
    record Placed(HoldRecord hold) implements Placing {}

    record Refused(String why) implements Placing {}

    record NotNow(String why) implements Placing {}
  }

  public Optional<Pool> pool(PoolName name) {
    return pools.find(name);
  }

  /// The call of a route that sells the hold or reverses its sale: it belongs to the pool of the
  /// hold, and its answer is kept as long as that of a confirm.
  public IdempotentRouteCall ofSale(IdempotentRouteCall call, Optional<HoldId> hold) {
    var name = hold.map(HoldId::pool);
    return name.flatMap(pools::find)
        .map(pool -> call.about(name).lasting(pool.policy().commitWindow()))
        .orElseGet(() -> call.about(name));
  }

  /// Returns `Missing` for a hold of another caller.
  public Look look(Pool pool, HoldId hold, String caller) {
    return switch (await(queries.one(pool, hold, caller))) {
      case HoldQueries.Reading.Found(var holds, _) -> new Look.Found(holds.getFirst());
      case HoldQueries.Reading.Nothing() -> new Look.Missing();
      case HoldQueries.Reading.NotNow _ -> new Look.Away();
    };
  }

  /// @param name of the call; a repeat under the same name is the same call
  public PinResult pin(Pool pool, String caller, String name, HoldId hold, String requester) {
    if (skew.isTooLarge()) {
      return new PinResult.Away("the clocks of Redis and Postgres are too far apart");
    }
    var call = call(TokenAction.CONFIRM, pool, caller, name);
    return switch (await(holds.pin(call, hold, requester, hold.fence().value()))) {
      case PinTried(var result) -> result;
      case Away(_, var why) -> new PinResult.Away(why);
      case HoldOutcome other -> new PinResult.Away("pinning returned " + other);
    };
  }

  /// Places a hold of the same items or quantity for the same requester.
  public Placing place(Pool pool, String name, HoldRecord lapsed) {
    var body = PlaceHoldBody.again(lapsed, pool.policy().lease());
    var call = call(TokenAction.PLACE_HOLD, pool, lapsed.caller(), name);
    return switch (await(holds.place(call, body))) {
      case Decided(Held(var hold), _) -> new Placing.Placed(hold);
      case Decided(Taken(var taken), _) ->
          new Placing.Refused("taken by others: " + String.join(", ", taken));
      case Decided(Limit(var most), _) ->
          new Placing.Refused("the requester has " + most + " holds");
      case Decided(StoredOutcome.ItemLimit(var most), _) ->
          new Placing.Refused("the requester may have " + most + " items");
      case Decided(var why, _) when why == StoredOutcome.Reason.SALES_CLOSED ->
          new Placing.Refused("the sale is closed");
      case HoldOutcome other -> new Placing.NotNow("placing returned " + other);
    };
  }

  /// The latest end of a claim: nothing is sold after the window of the hold.
  public Instant claimableUntil(HoldRecord hold) {
    return hold.expiresAt().minus(settings.maxClockSkew());
  }

  /// @param next pin number that Postgres has written
  public void givenBack(PoolName pool, HoldRecord pinned, List<ItemVersion> items, long next) {
    settle(pool, pinned, null, null, items, Status.FREE);
    if (!await(settler.unpin(pool, pinned, next))) {
      outbox.expectRelay();
    }
    pools.find(pool).ifPresent(known -> await(holds.sweep(known)));
  }

  /// @param outboxId acknowledged once Redis has applied the sale
  public void sold(PoolName pool, HoldRecord sold, List<ItemVersion> items, long outboxId) {
    if (settle(pool, sold, sold, sold.items().size(), items, Status.SOLD)) {
      outbox.acknowledge(outboxId);
    }
  }

  /// The outbox relay tells Redis how much of the sale is left.
  public void reversed(PoolName pool, HoldRecord sold, List<ItemVersion> items) {
    settle(pool, sold, sold.state() == HoldState.HELD ? null : sold, null, items, Status.FREE);
  }

  private boolean settle(
      PoolName pool,
      HoldRecord hold,
      @Nullable HoldRecord ended,
      @Nullable Integer live,
      List<ItemVersion> items,
      Status status) {
    var states = items.stream().map(item -> item.with(status)).toList();
    var command = new SettleCommand(pool, hold.fence(), ended, null, ItemEntries.of(states), live);
    var isSettled = await(settler.settle(command));
    if (!isSettled) {
      outbox.expectRelay();
    }
    return isSettled;
  }

  private static IdempotentRequest call(TokenAction action, Pool pool, String caller, String name) {
    var token = (Token) Token.of(name, name.length());
    return new IdempotentRequest(action, caller, pool, token, Digest.of(name, List.of(), Map.of()));
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).join();
  }
}
