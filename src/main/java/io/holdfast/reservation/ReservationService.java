package io.holdfast.reservation;

import io.holdfast.confirm.ConfirmFlow;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.HoldsRead;
import io.holdfast.hold.HoldQueries;
import io.holdfast.hold.HoldQueries.Reading;
import io.holdfast.hold.HoldRelease;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.idempotency.Digest;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome.Reason;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Reserves values and looks reservations up. Each change is one atomic step of the layer below: a
/// value is never looked up first and taken then.
@Singleton
final class ReservationService {
  private final HoldService holds;
  private final HoldRelease release;
  private final HoldQueries queries;
  private final ConfirmFlow confirms;
  private final HoldRows rows;
  private final SoldValueTable sold;
  private final StoredValue values;
  private final ExecutorService executor;

  ReservationService(
      HoldService holds,
      HoldRelease release,
      HoldQueries queries,
      ConfirmFlow confirms,
      HoldRows rows,
      SoldValueTable sold,
      StoredValue values,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.release = release;
    this.queries = queries;
    this.confirms = confirms;
    this.rows = rows;
    this.sold = sold;
    this.values = values;
    this.executor = executor;
  }

  CompletionStage<HoldOutcome> reserve(IdempotentRequest call, String requester, ReserveBody body) {
    var value = values.of(new ReservationKey(body.type(), body.value()));
    var metadata = ReservationJson.metadata(body.correlationId());
    return holds.reserve(call, requester, value, body.ttl(), metadata);
  }

  /// The entity is the order of the sale. The logical key is that of the call: a second confirm is
  /// refused, also for the same entity.
  CompletionStage<HoldOutcome> confirm(
      IdempotentRequest call, HoldId id, String requester, String entityId) {
    var logicalKey = "reservation:" + HexFormat.of().formatHex(Digest.sha256(call.token().value()));
    return confirms.confirm(call, id, requester, entityId, logicalKey);
  }

  CompletionStage<HoldOutcome> release(IdempotentRequest call, HoldId id, String requester) {
    return release.release(call, id, requester);
  }

  /// The state that a refused call met. It is final, so a replay meets it too. Empty for any other
  /// outcome.
  CompletionStage<Optional<HoldState>> metState(
      IdempotentRequest call, HoldId id, HoldOutcome outcome) {
    if (!(outcome instanceof Decided(var stored, _)) || stored != Reason.NOT_HELD) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    return metState(call.pool(), call.caller(), id);
  }

  /// Of a call that was refused because the hold was not held.
  CompletionStage<Optional<HoldState>> metState(Pool pool, String caller, HoldId id) {
    return queries
        .one(pool, id, caller)
        .thenApplyAsync(
            reading ->
                reading instanceof Reading.Found(var found, _)
                    ? Optional.of(finalState(id, found.getFirst()))
                    : Optional.empty(),
            executor);
  }

  /// Redis shows a hold that Postgres has just sold or released as live until it learns of the end.
  private HoldState finalState(HoldId id, HoldRecord hold) {
    return hold.state() == HoldState.HELD
        ? rows.find(id).map(HoldRecord::state).orElse(HoldState.HELD)
        : hold.state();
  }

  /// A reservation and the entity it belongs to.
  ///
  /// @param entityId null until it is confirmed
  record Found(HoldRecord hold, @Nullable String entityId, boolean isReturned) {}

  /// The result of a look-up.
  sealed interface LookUp {
    record Known(Found found) implements LookUp {}

    record Unknown() implements LookUp {}

    record NotNow(HoldOutcome why) implements LookUp {}
  }

  /// Returns `Unknown` for a reservation of another caller.
  CompletionStage<LookUp> find(Pool pool, HoldId id, String caller) {
    return queries
        .one(pool, id, caller)
        .thenCompose(
            reading ->
                switch (reading) {
                  case Reading.Found(var found, _) -> withEntity(pool, found.getFirst());
                  case Reading.Nothing() -> now(new LookUp.Unknown());
                  case Reading.NotNow(var why) -> now(new LookUp.NotNow(why));
                });
  }

  /// The reservation that has the value now: reserved or confirmed.
  CompletionStage<LookUp> find(Pool pool, ReservationKey key, String caller) {
    var item = values.of(key);
    return holds
        .holder(pool, item)
        .thenCompose(
            outcome ->
                outcome instanceof HoldsRead(_, var live) && !live.isEmpty()
                    ? find(pool, live.getFirst().id(pool.name()), caller)
                    : findSold(pool, item, caller).thenApply(found -> orNotNow(found, outcome)))
        .thenApply(ReservationService::unlessEnded);
  }

  private CompletionStage<LookUp> findSold(Pool pool, ItemId item, String caller) {
    return CompletableFuture.supplyAsync(
            () -> sold.findLive(pool.name().value(), item.value()), executor)
        .thenCompose(
            row ->
                row.flatMap(each -> HoldId.parse(each.holdId()))
                    .map(id -> find(pool, id, caller))
                    .orElseGet(() -> now(new LookUp.Unknown())));
  }

  /// Without an answer of Redis, a value that is not sold may be reserved.
  private static LookUp orNotNow(LookUp found, HoldOutcome holder) {
    return found instanceof LookUp.Unknown && !(holder instanceof HoldsRead)
        ? new LookUp.NotNow(holder)
        : found;
  }

  /// A hold that has just lapsed does not have the value any more.
  private static LookUp unlessEnded(LookUp found) {
    return found instanceof LookUp.Known(var known)
            && (known.isReturned
                || known.hold.state() == HoldState.RELEASED
                || known.hold.state() == HoldState.EXPIRED)
        ? new LookUp.Unknown()
        : found;
  }

  private CompletionStage<LookUp> withEntity(Pool pool, HoldRecord hold) {
    if (hold.state() != HoldState.CONFIRMED) {
      return now(new LookUp.Known(new Found(hold, null, false)));
    }
    return CompletableFuture.supplyAsync(
        () -> {
          var row = sold.find(pool.name().value(), hold.id(pool.name()).toString()).orElseThrow();
          return new LookUp.Known(new Found(hold, row.orderId(), row.isVoided()));
        },
        executor);
  }

  private static CompletionStage<LookUp> now(LookUp found) {
    return CompletableFuture.completedStage(found);
  }
}
