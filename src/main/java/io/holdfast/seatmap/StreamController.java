package io.holdfast.seatmap;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pass.StreamTickets;
import io.holdfast.pool.Pool;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The seat map of a pool as server-sent events: a snapshot, then each change.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class StreamController {
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String SOON_SECONDS = "1";
  private static final String LATER_SECONDS = "10";

  private final PoolRegistry pools;
  private final PoolWatchers watchers;
  private final StreamTickets tickets;

  StreamController(PoolRegistry pools, PoolWatchers watchers, StreamTickets tickets) {
    this.pools = pools;
    this.watchers = watchers;
    this.tickets = tickets;
  }

  /// The body of the response.
  @Serdeable
  @Schema(name = "StreamTicket")
  record Ticket(
      @Schema(description = "For the query of the stream's address.") String ticket,
      @Schema(type = "string", format = "date-time", description = "A stream opened before stays.")
          String expiresAt) {}

  @Operation(
      operationId = "createStreamTicket",
      summary = "Get a ticket that opens the stream of this pool without a key",
      description =
          "For the `EventSource` of browsers, which cannot send a key: open"
              + " `/v1/pools/{pool}/stream?ticket=…` within a minute. The ticket is signed, not"
              + " stored: the call changes nothing and needs no Idempotency-Key.",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description = "The ticket. It gives no right but to this stream.",
      content = @Content(schema = @Schema(implementation = Ticket.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/{pool}/stream-tickets")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  CompletionStage<HttpResponse<?>> issue(String pool) {
    return pools.with(pool, found -> CompletableFuture.completedStage(response(found)));
  }

  private HttpResponse<?> response(Pool pool) {
    var issued = tickets.issue(pool.name());
    return HttpResponse.ok(new Ticket(issued.ticket(), Timestamp.of(issued.expiresAt())))
        .header(HttpHeaders.CACHE_CONTROL, "no-store");
  }

  @Operation(
      operationId = "streamItemStates",
      summary = "Stream the states of all items and every change",
      description =
          "Events: `snapshot` with what /items shows, `change` with one item and its new state,"
              + " `status` when the service itself sees nothing for a while. A `snapshot` may come"
              + " at any time and replaces all that was known. Takes a key, or a stream"
              + " ticket of this pool in the query.",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description =
          "Server-sent events until the client disconnects or the service asks it to reconnect.",
      content =
          @Content(
              mediaType = MediaType.TEXT_EVENT_STREAM,
              schema = @Schema(implementation = String.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @ApiResponse(responseCode = "503", description = "too-many-listeners, or storage-failure.")
  @Parameter(
      name = StreamTicketCheck.PARAMETER,
      in = ParameterIn.QUERY,
      description = "In place of a key: a stream ticket of this pool.",
      schema = @Schema(type = "string"))
  @Get("/{pool}/stream")
  @Produces(MediaType.TEXT_EVENT_STREAM)
  @Secured(SecurityRule.IS_AUTHENTICATED)
  @OpenToStreamTickets
  CompletionStage<HttpResponse<?>> stream(
      String pool, @Header(LAST_EVENT_ID) @Nullable String lastId) {
    return pools.with(pool, found -> watchers.join(found, lastId).thenApply(this::response));
  }

  private MutableHttpResponse<?> response(PoolWatchers.Joining joining) {
    return switch (joining) {
      case PoolWatchers.Joining.Joined(var subscription) -> stream(subscription);
      case PoolWatchers.Joining.Full() ->
          refused(
              Problem.refused(
                  HttpStatus.SERVICE_UNAVAILABLE,
                  "too-many-listeners",
                  "This instance has as many listeners as it allows; another instance may accept"
                      + " more."),
              LATER_SECONDS);
      case PoolWatchers.Joining.NotNow(var why) ->
          refused(
              Problem.unavailable(true, "The seat map cannot be read: " + why + "."), SOON_SECONDS);
    };
  }

  /// Proxies must neither cache nor buffer events. Compression would take more memory per
  /// subscription than everything else.
  private static MutableHttpResponse<?> stream(SseSubscription subscription) {
    return HttpResponse.ok(subscription)
        .contentType(MediaType.TEXT_EVENT_STREAM_TYPE)
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header(HttpHeaders.CONTENT_ENCODING, "identity")
        .header("X-Accel-Buffering", "no");
  }

  private static MutableHttpResponse<?> refused(Problem problem, String retryAfter) {
    return HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
        .body(problem)
        .contentType(Problem.MEDIA_TYPE)
        .header(HttpHeaders.RETRY_AFTER, retryAfter);
  }
}
