package io.holdfast.waiting;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldResponses;
import io.holdfast.pool.Pool;
import io.holdfast.waiting.TicketListeners.Limit;
import io.holdfast.waiting.TicketListeners.SubscribeResult;
import io.holdfast.waiting.WaitingRoomService.Look;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// A ticket as server-sent events: its state now, then each change.
@Controller("/v1/queue")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class TicketStreamController {
  private static final String LATER_SECONDS = "10";

  private final TicketListeners listeners;
  private final TicketAccess access;
  private final PoolRegistry pools;

  TicketStreamController(TicketListeners listeners, TicketAccess access, PoolRegistry pools) {
    this.listeners = listeners;
    this.access = access;
    this.pools = pools;
  }

  @Operation(
      operationId = "streamTicket",
      summary = "Stream a ticket and every change of it; counts as a sign of life",
      description = "Event: `ticket`, with what /v1/queue/{ticket} shows.",
      tags = "Waiting room")
  @ApiResponse(
      responseCode = "200",
      description = "Server-sent events until the client or the service ends them.",
      content =
          @Content(
              mediaType = MediaType.TEXT_EVENT_STREAM,
              schema = @Schema(implementation = String.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @ApiResponse(responseCode = "503", description = "too-many-listeners, or storage-failure.")
  @Get("/{ticket}/stream")
  @Produces(MediaType.TEXT_EVENT_STREAM)
  @Secured("hold")
  CompletionStage<HttpResponse<?>> stream(String ticket, @Parameter(hidden = true) Caller caller) {
    var id = access.ownTicket(ticket, caller);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(TicketAccess.unknownTicket());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            pool.policy().waitingRoom() == null
                ? CompletableFuture.completedStage(TicketAccess.unknownTicket())
                : listeners
                    .subscribe(pool, id.get(), caller.name())
                    .thenApply(subscribing -> response(pool, subscribing)));
  }

  /// Proxies must neither cache nor buffer events.
  private static HttpResponse<?> response(Pool pool, SubscribeResult subscribing) {
    return switch (subscribing) {
      case SubscribeResult.Subscribed(var subscription) ->
          HttpResponse.ok(subscription)
              .contentType(MediaType.TEXT_EVENT_STREAM_TYPE)
              .header(HttpHeaders.CACHE_CONTROL, "no-store")
              .header(HttpHeaders.CONTENT_ENCODING, "identity")
              .header("X-Accel-Buffering", "no");
      case SubscribeResult.Full(var limit) ->
          HoldResponses.problem(
                  Problem.refused(
                      HttpStatus.SERVICE_UNAVAILABLE, "too-many-listeners", sentence(limit)))
              .header(HttpHeaders.RETRY_AFTER, LATER_SECONDS);
      case SubscribeResult.Refused(Look.Failed(var outcome)) -> HoldResponses.of(pool, outcome);
      case SubscribeResult.Refused _ -> TicketAccess.unknownTicket();
    };
  }

  private static String sentence(Limit limit) {
    return switch (limit) {
      case OF_INSTANCE ->
          "This instance has as many listeners as it allows; another instance may accept more.";
      case OF_TICKET -> "The ticket has as many streams as it may have here; close one of them.";
    };
  }
}
