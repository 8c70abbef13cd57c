package io.holdfast.reservation;

import io.holdfast.hold.RecordedResponses;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Reason;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The responses of recorded calls on reservations. What the request had and the outcome has not is
/// taken from the other records: the entity, and the state that a refused confirm met. The value is
/// shown as it is stored. A refused release has no record of its reservation, so its response says
/// `not-held` without the state.
@Singleton
final class RecordedReservations implements RecordedResponses {
  private final ReservationService reservations;
  private final SoldValueTable sold;

  RecordedReservations(ReservationService reservations, SoldValueTable sold) {
    this.reservations = reservations;
    this.sold = sold;
  }

  @Override
  public PoolKind kind() {
    return PoolKind.UNIQUE;
  }

  @Override
  public HttpResponse<?> of(
      Pool pool,
      String caller,
      EntryVersion version,
      StoredOutcome outcome,
      @Nullable HoldId hold) {
    var entity = outcome instanceof Confirmed(var of) ? entity(pool, of) : null;
    var met =
        outcome == Reason.NOT_HELD && hold != null
            ? metState(pool, caller, hold)
            : Optional.<HoldState>empty();
    return ReservationResponses.of(pool, version, outcome, null, entity, met);
  }

  private @Nullable String entity(Pool pool, HoldRecord hold) {
    return sold.find(pool.name().value(), hold.id(pool.name()).toString())
        .map(SoldValueTable.Row::orderId)
        .orElse(null);
  }

  private Optional<HoldState> metState(Pool pool, String caller, HoldId hold) {
    return reservations.metState(pool, caller, hold).toCompletableFuture().join();
  }
}
