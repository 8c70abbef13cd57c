package io.holdfast.confirm;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.ItemState;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Limit;
import io.holdfast.hold.HoldOutcome.Pinning;
import io.holdfast.hold.HoldOutcome.Taken;
import io.holdfast.hold.HoldQueries;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.PlaceHoldBody;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
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

/// What a checkout asks of the fast layer, for threads that may block. Everything it is told here
/// is a hint to Redis: what does not arrive, the relay or the resolver tells it later.
@Singleton
public final class CheckoutHoldClient {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HoldService desk;
  private final HoldQueries reads;
  private final RedisSettler settling;
  private final OutboxAcknowledger acknowledging;
  private final PoolRegistry pools;
  private final ClockSkew skew;
  private final PinSettings settings;

  CheckoutHoldClient(
      HoldService desk,
      HoldQueries reads,
      RedisSettler settling,
      OutboxAcknowledger acknowledging,
      PoolRegistry pools,
      ClockSkew skew,
      PinSettings settings) {
    this.desk = desk;
    this.reads = reads;
    this.settling = settling;
    this.acknowledging = acknowledging;
    this.pools = pools;
    this.skew = skew;
    this.settings = settings;
  }

  /// How a hold stands.
  public sealed interface Look {
    record Found(HoldRecord hold) implements Look {}

    record Missing() implements Look {}

    record Away() implements Look {}
  }

  /// What placing a hold in the place of another one comes to.
  public sealed interface Placing {
    record Placed(HoldRecord hold) implements Placing {}

    record Refused(String why) implements Placing {}

    record NotNow(String why) implements Placing {}
  }

  public Optional<Pool> pool(PoolName name) {
    return pools.find(name);
  }

  /// A hold of another caller is none.
  public Look look(Pool pool, HoldId hold, String caller) {
    return switch (await(reads.one(pool, hold, caller))) {
      case HoldQueries.Reading.Found(var holds, _) -> new Look.Found(holds.getFirst());
      case HoldQueries.Reading.Nothing() -> new Look.Missing();
      case HoldQueries.Reading.NotNow _ -> new Look.Away();
    };
  }

  /// @param name of the call; the same one again is the same call
  public PinResult pin(Pool pool, String caller, String name, HoldId hold, String requester) {
    if (skew.isTooLarge()) {
      return new PinResult.Away("the clocks of Redis and Postgres are too far apart");
    }
    var decision = await(desk.pin(call(pool, caller, name), hold, requester, hold.fence().value()));
    return switch (decision.outcome()) {
      case Pinning(var intent) -> intent;
      case Away(_, var why) -> new PinResult.Away(why);
      case HoldOutcome other -> new PinResult.Away("the pin came to " + other);
    };
  }

  /// The same items for the same requester once more.
  public Placing place(Pool pool, String name, HoldRecord lapsed) {
    var items = lapsed.items().stream().map(ItemId::value).toList();
    var wish = PlaceHoldBody.of(lapsed.requester(), items, pool.policy().lease());
    var decision = await(desk.place(call(pool, lapsed.caller(), name), wish));
    return switch (decision.outcome()) {
      case Held(var hold) -> new Placing.Placed(hold);
      case Taken(var taken) -> new Placing.Refused("taken by others: " + String.join(", ", taken));
      case Limit(var most) -> new Placing.Refused("the requester has " + most + " holds");
      case HoldOutcome other -> new Placing.NotNow("placing came to " + other);
    };
  }

  /// Until when a claim of it may last: nothing is sold after its window.
  public Instant claimableUntil(HoldRecord hold) {
    return hold.expiresAt().minus(settings.maxClockSkew());
  }

  /// @param next what Postgres has written
  public void givenBack(PoolName pool, HoldRecord pinned, List<ItemVersion> items, long next) {
    tell(pool, pinned, null, items, Status.FREE);
    if (!await(settling.unpin(pool, pinned, next))) {
      acknowledging.missed();
    }
    pools.find(pool).ifPresent(known -> await(desk.sweep(known)));
  }

  /// @param outboxId crossed out once Redis has heard of it
  public void sold(PoolName pool, HoldRecord sold, List<ItemVersion> items, long outboxId) {
    if (tell(pool, sold, sold, items, Status.SOLD)) {
      acknowledging.settled(outboxId);
    }
  }

  public void reversed(PoolName pool, HoldRecord sold, List<ItemVersion> items) {
    tell(pool, sold, sold.state() == HoldState.HELD ? null : sold, items, Status.FREE);
  }

  private boolean tell(
      PoolName pool,
      HoldRecord hold,
      @Nullable HoldRecord ended,
      List<ItemVersion> items,
      Status status) {
    var states =
        items.stream().map(item -> new ItemState(item.item(), item.version(), status)).toList();
    var settlement = new SettleCommand(pool, hold.fence(), ended, null, ItemEntries.of(states));
    var isTold = await(settling.settle(settlement));
    if (!isTold) {
      acknowledging.missed();
    }
    return isTold;
  }

  private static IdempotentRequest call(Pool pool, String caller, String name) {
    var token = (Token) Token.of(name, name.length());
    return new IdempotentRequest(caller, pool, token, Digest.of(name, List.of(), Map.of()));
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
  }
}
