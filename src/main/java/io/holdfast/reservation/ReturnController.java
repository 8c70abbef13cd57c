package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_RELEASED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_NOT_CONFIRMED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_NOT_FOUND;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.commitment.claim.SaleReversals.Reason;
import io.holdfast.commitment.claim.SaleReversals.Reversed;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.PoolKind;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Gives the value of a confirmed reservation back: a record that refers to the confirmation, which
/// stays. The value is free again.
@Controller("/v1/reservations")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class ReturnController {
  private final IdempotencyHttp http;
  private final IdempotencyStore results;
  private final SaleReversals reversals;
  private final SoldValueTable sold;
  private final HoldRows rows;
  private final JournalDrainer drainer;
  private final PoolRegistry pools;
  private final CheckoutHoldClient redis;

  ReturnController(
      IdempotencyHttp http,
      IdempotencyStore results,
      SaleReversals reversals,
      SoldValueTable sold,
      HoldRows rows,
      JournalDrainer drainer,
      PoolRegistry pools,
      CheckoutHoldClient redis) {
    this.http = http;
    this.results = results;
    this.reversals = reversals;
    this.sold = sold;
    this.rows = rows;
    this.drainer = drainer;
    this.pools = pools;
    this.redis = redis;
  }

  @Operation(
      operationId = "returnReservation",
      summary = "Give the value of a confirmed reservation back",
      tags = "Reservations")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @ApiResponse(
      responseCode = "200",
      description = "The value is free.",
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(
      responseCode = "409",
      description = "reservation-not-confirmed, reservation-already-released")
  @ApiResponse(responseCode = "404", description = "reservation-not-found")
  @Delete("/{id}")
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> giveBack(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String id) {
    var token = http.token(headers);
    var digest = Digest.of(Route.RETURN_RESERVATION.word(), List.of(id), Map.of());
    var call =
        http.call(caller.name(), Route.RETURN_RESERVATION, token, digest)
            .about(HoldId.parse(id).map(HoldId::pool));
    var hold = HoldId.parse(id).filter(this::isOfValues).flatMap(this::find);
    var done = new Reversed[1];
    var result = results.once(call, tx -> giveBack(tx, id, hold, caller.name(), done));
    if (result instanceof IdempotentResult.Done && done[0] != null) { // committed for sure
      redis.reversed(HoldId.parse(id).orElseThrow().pool(), hold.orElseThrow(), done[0].items());
    }
    return http.answer(result);
  }

  /// A hold that is not in Postgres yet is not confirmed.
  private Optional<HoldRecord> find(HoldId hold) {
    var row = rows.find(hold);
    if (row.isPresent()) {
      return row;
    }
    drainer.drainAll(hold.pool());
    return rows.find(hold);
  }

  private boolean isOfValues(HoldId hold) {
    return pools.find(hold.pool()).filter(pool -> pool.kind() == PoolKind.UNIQUE).isPresent();
  }

  private Answer giveBack(
      Transaction tx, String id, Optional<HoldRecord> found, String operator, Reversed[] done) {
    if (found.isEmpty()) {
      return refusal(RESERVATION_NOT_FOUND, "There is no such reservation.");
    }
    var hold = found.get();
    if (hold.state() != HoldState.CONFIRMED) {
      return refusal(
          RESERVATION_NOT_CONFIRMED, "Only the value of a confirmed reservation is given back.");
    }
    var holdId = HoldId.parse(id).orElseThrow();
    var why = new Reason(operator, "the value is given back");
    var reversed = reversals.giveBack(tx, holdId, why);
    if (reversed.isEmpty()) {
      return refusal(RESERVATION_ALREADY_RELEASED, "The value was given back before.");
    }
    done[0] = reversed.get();
    var entity = sold.find(holdId.pool().value(), id).map(SoldValueTable.Row::orderId).orElse(null);
    var value = hold.items().getFirst().value();
    return http.stored(HttpStatus.OK, ReservationJson.of(holdId.pool(), hold, value, entity, true));
  }

  private Answer refusal(ReservationReason reason, String detail) {
    return http.stored(reason.status(), ReservationProblem.of(reason, detail, null));
  }
}
