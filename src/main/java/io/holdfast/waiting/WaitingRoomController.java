package io.holdfast.waiting;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldResponses;
import io.holdfast.hold.IdempotentCall;
import io.holdfast.hold.IdempotentCall.Request;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.TokenAction;
import io.holdfast.waiting.WaitingRoomService.Look;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.validation.constraints.Size;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The routes of tickets.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class WaitingRoomController {
  private static final byte[] NO_BODY = "{}".getBytes(StandardCharsets.UTF_8);

  private final WaitingRoomService rooms;
  private final IdempotentCall calls;
  private final PoolRegistry pools;
  private final TicketAccess access;

  WaitingRoomController(
      WaitingRoomService rooms, IdempotentCall calls, PoolRegistry pools, TicketAccess access) {
    this.rooms = rooms;
    this.calls = calls;
    this.pools = pools;
    this.access = access;
  }

  /// The body of the request.
  @Introspected
  @Schema(name = "JoinQueue")
  record Join(
      @Size(min = 1, max = 128)
          @Schema(
              description = "Who waits: 1 to 128 bytes of UTF-8. Holds need the same requester.")
          String requester) {
    static final BodyReader<Join> READER = BodyReader.of(Join.class);
  }

  /// The response; it is written without this record.
  @Serdeable
  @Schema(name = "TicketJoined")
  record Joined(
      String ticket,
      long sequence,
      @Schema(description = "1 is next; null for a ticket that is admitted already.")
          @Nullable Long position,
      @Nullable Long estimatedWaitSeconds,
      @Schema(description = "MEASURED, POLICY, or null without an estimate.")
          @Nullable String estimateBasis) {}

  /// The response; it is written without this record.
  @Serdeable
  @Schema(name = "TicketEnded")
  record Ended(String ticket, TicketView.State state, @Nullable Instant endedAt) {}

  @Operation(
      operationId = "joinQueue",
      summary = "Join the waiting room of a pool",
      tags = "Waiting room")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = Join.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The requester has a ticket.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = Joined.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The requester had this ticket already.",
      content = @Content(schema = @Schema(implementation = Joined.class)))
  @ApiResponse(responseCode = "409", description = "queue-full, sales-closed")
  @Post("/pools/{pool}/queue")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> join(
      @Parameter(hidden = true) HttpRequest<?> http,
      String pool,
      @Body byte[] body,
      Caller caller) {
    return calls.execute(
        new Request(TokenAction.JOIN_QUEUE, caller, pool, pool, http.getHeaders(), body),
        this::join);
  }

  private CompletionStage<HoldOutcome> join(IdempotentRequest call, JsonFields fields) {
    var requester = Join.READER.read(fields).requester();
    if (call.pool().policy().waitingRoom() == null) {
      throw new InvalidField(null, "This pool has no waiting room; place a hold at once.");
    }
    return rooms.join(call, requester);
  }

  /// Counts as a sign of life.
  @Operation(
      operationId = "getTicket",
      summary = "Show a ticket; keeps its place for another graceSeconds",
      tags = "Waiting room")
  @ApiResponse(
      responseCode = "200",
      description = "The ticket, with a pass if it is admitted.",
      content = @Content(schema = @Schema(implementation = TicketView.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/queue/{ticket}")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> show(String ticket, @Parameter(hidden = true) Caller caller) {
    var id = access.ownTicket(ticket, caller);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(TicketAccess.unknownTicket());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            pool.policy().waitingRoom() == null
                ? CompletableFuture.completedStage(TicketAccess.unknownTicket())
                : rooms
                    .look(pool, id.get(), caller.name())
                    .thenApply(
                        look ->
                            switch (look) {
                              case Look.Shown(var view) -> HttpResponse.ok(view);
                              case Look.NotKnown() -> TicketAccess.unknownTicket();
                              case Look.Failed(var outcome) -> HoldResponses.of(pool, outcome);
                            }));
  }

  @Operation(
      operationId = "leaveQueue",
      summary = "Leave the waiting room; ends the pass of an admitted ticket",
      tags = "Waiting room")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @ApiResponse(
      responseCode = "200",
      description = "The ticket has ended, now or before.",
      content = @Content(schema = @Schema(implementation = Ended.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Delete("/queue/{ticket}")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> leave(
      @Parameter(hidden = true) HttpRequest<?> http,
      String ticket,
      @Parameter(hidden = true) Caller caller) {
    var id = access.ownTicket(ticket, caller);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(TicketAccess.unknownTicket());
    }
    var pool = id.get().pool().value();
    return calls.execute(
        new Request(TokenAction.LEAVE_QUEUE, caller, pool, ticket, http.getHeaders(), NO_BODY),
        (call, _) -> rooms.leave(call, id.get()),
        (call, outcome) ->
            CompletableFuture.completedStage(
                outcome instanceof Absent
                    ? TicketAccess.unknownTicket()
                    : HoldResponses.of(call, outcome)));
  }
}
