package io.holdfast.seatmap;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
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

  StreamController(PoolRegistry pools, PoolWatchers watchers) {
    this.pools = pools;
    this.watchers = watchers;
  }

  @Operation(
      operationId = "streamItemStates",
      summary = "Stream the states of all items and every change",
      description =
          "Events: `snapshot` with what /items shows, `change` with one item and its new state,"
              + " `status` when the service itself sees nothing for a while. A `snapshot` may come"
              + " at any time and replaces all that was known.",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description =
          "Server-sent events until the client disconnects or the service asks it to reconnect.",
      content =
          @Content(
              mediaType = MediaType.TEXT_EVENT_STREAM,
              schema = @Schema(implementation = String.class)))
  @ApiResponse(responseCode = "503", description = "too-many-listeners, or storage-failure.")
  @Get("/{pool}/stream")
  @Produces(MediaType.TEXT_EVENT_STREAM)
  @Secured(SecurityRule.IS_AUTHENTICATED)
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
