package io.holdfast.reservation;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldResponses;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.reservation.ReservationService.LookUp;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.inject.Named;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Looks reservations up. A caller sees only its own.
@Controller("/v1/reservations")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class ReservationReadController {
  private final ReservationService reservations;
  private final PoolRegistry pools;
  private final ExecutorService executor;

  ReservationReadController(
      ReservationService reservations,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.reservations = reservations;
    this.pools = pools;
    this.executor = executor;
  }

  @Operation(
      operationId = "getReservation",
      summary = "Get a reservation, also after its end",
      tags = "Reservations")
  @ApiResponse(
      responseCode = "200",
      description = "The reservation.",
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(responseCode = "404", description = "reservation-not-found")
  @Get("/{id}")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> one(String id, @Parameter(hidden = true) Caller caller) {
    var hold = HoldId.parse(id);
    return hold.isEmpty()
        ? CompletableFuture.completedStage(ReservationResponses.notFound())
        : inType(
            hold.get().pool().value(),
            pool -> reservations.find(pool, hold.get(), caller.name()),
            null);
  }

  @Operation(
      operationId = "findReservation",
      summary = "Find the reservation that has a value now",
      tags = "Reservations")
  @ApiResponse(
      responseCode = "200",
      description = "The reservation.",
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(
      responseCode = "404",
      description = "reservation-not-found: nobody has it, or another caller.")
  @Get
  @Secured("hold")
  CompletionStage<HttpResponse<?>> find(
      @QueryValue @Nullable String key,
      @QueryValue @Nullable String type,
      @QueryValue @Nullable String value,
      @Parameter(hidden = true) Caller caller) {
    try {
      var wanted = key == null ? ReservationKey.of(type, value) : ReservationKey.parse(key);
      return inType(
          wanted.type(), pool -> reservations.find(pool, wanted, caller.name()), wanted.value());
    } catch (InvalidReservation e) {
      return CompletableFuture.completedStage(
          ReservationProblem.response(e.reason(), e.sentence()));
    }
  }

  private interface Search {
    CompletionStage<LookUp> in(Pool pool);
  }

  /// @param value as the request has it
  private CompletionStage<HttpResponse<?>> inType(
      String type, Search search, @Nullable String value) {
    return CompletableFuture.supplyAsync(() -> pools.find(new PoolName(type)), executor)
        .thenCompose(
            pool ->
                pool.filter(each -> each.kind() == PoolKind.UNIQUE)
                    .map(
                        each ->
                            search
                                .in(each)
                                .<HttpResponse<?>>thenApply(found -> shown(each, found, value)))
                    .orElseGet(
                        () -> CompletableFuture.completedStage(ReservationResponses.notFound())));
  }

  private static HttpResponse<?> shown(Pool pool, LookUp found, @Nullable String value) {
    return switch (found) {
      case LookUp.Known(var known) ->
          HttpResponse.ok(
              ReservationJson.of(
                  pool.name(),
                  known.hold(),
                  value == null ? known.hold().items().getFirst().value() : value,
                  known.entityId(),
                  known.isReturned()));
      case LookUp.Unknown() -> ReservationResponses.notFound();
      case LookUp.NotNow(var why) -> HoldResponses.of(pool, why);
    };
  }
}
