package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldQueries.Reading;
import io.holdfast.journal.store.HoldFilter;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The routes that read holds. A caller sees only its own.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
@Secured("hold")
final class HoldReadController {
  private final HoldQueries queries;
  private final RequesterHolds requesters;
  private final PoolRegistry pools;

  HoldReadController(HoldQueries queries, RequesterHolds requesters, PoolRegistry pools) {
    this.queries = queries;
    this.requesters = requesters;
    this.pools = pools;
  }

  @Operation(operationId = "getHold", summary = "Get a hold", tags = "Holds")
  @ApiResponse(
      responseCode = "200",
      description = "The hold, also long after its end.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/holds/{holdId}")
  CompletionStage<HttpResponse<?>> one(String holdId, @Parameter(hidden = true) Caller caller) {
    var id = HoldId.parse(holdId);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(HoldResponses.unknownHold());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            queries
                .one(pool, id.get(), caller.name())
                .thenApply(
                    reading ->
                        switch (reading) {
                          case Reading.Found(var holds, _) ->
                              HoldResponses.json(
                                  HttpStatus.OK, HoldJson.of(pool, holds.getFirst()));
                          case Reading.Nothing() -> HoldResponses.unknownHold();
                          case Reading.NotNow(var why) -> HoldResponses.of(pool, why);
                        }));
  }

  @Operation(
      operationId = "listHolds",
      summary = "List the caller's holds in a pool",
      tags = "Holds")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Holds.class)))
  @Get("/pools/{pool}/holds")
  CompletionStage<HttpResponse<?>> page(
      String pool,
      @QueryValue @Nullable String state,
      @QueryValue @Nullable String requester,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit,
      @Parameter(hidden = true) Caller caller) {
    var filter =
        new HoldFilter(
            caller.name(),
            state == null ? null : state(state),
            requester == null ? null : name(requester));
    var page = PageRequest.read(after, limit);
    return pools.with(
        pool,
        found ->
            queries
                .page(found, filter, page.afterNumber(), page.limit())
                .thenApply(reading -> response(found, reading, page, filter)));
  }

  @Operation(
      operationId = "listHoldsOfRequester",
      summary = "List what a requester holds or has bought, in all pools",
      tags = "Holds")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Holds.class)))
  @Get("/requesters/{requester}/holds")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> ofRequester(
      String requester,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit,
      @Parameter(hidden = true) Caller caller) {
    var name = name(requester);
    caller.refuseOtherRequester(Map.of("requester", name));
    var page = PageRequest.read(after, limit);
    var last =
        page.after().isEmpty()
            ? null
            : HoldId.parse(page.after()).orElseThrow(PageRequest::notFromLink);
    try {
      var found = requesters.page(caller.name(), name, last, page.limit());
      var response = HoldResponses.json(HttpStatus.OK, HoldJson.ofRequester(found.holds()));
      if (found.next() != null) {
        page.next(found.next().toString())
            .linkTo("/v1/requesters/" + PercentBytes.encode(utf8(name)) + "/holds", response);
      }
      return response;
    } catch (RequesterHolds.HoldsUnavailable e) {
      return HoldResponses.of(e.pool(), e.why());
    }
  }

  /// A name that a requester can have.
  private static String name(String requester) {
    return JsonFields.of(Map.of("requester", requester)).text("requester");
  }

  /// One char a byte.
  private static String utf8(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static MutableHttpResponse<?> response(
      Pool pool, Reading reading, PageRequest page, HoldFilter filter) {
    return switch (reading) {
      case Reading.Found found -> response(pool, found, page, filter);
      case Reading.Nothing() -> HoldResponses.json(HttpStatus.OK, HoldJson.ofPage(pool, List.of()));
      case Reading.NotNow(var why) -> HoldResponses.of(pool, why);
    };
  }

  private static MutableHttpResponse<?> response(
      Pool pool, Reading.Found found, PageRequest page, HoldFilter filter) {
    var response = HoldResponses.json(HttpStatus.OK, HoldJson.ofPage(pool, found.holds()));
    if (found.next() != null) {
      page.next(found.next().toString())
          .with("state", filter.state() == null ? null : filter.state().name())
          .with("requester", filter.requester())
          .linkTo("/v1/pools/" + pool.name() + "/holds", response);
    }
    return response;
  }

  private static HoldState state(String text) {
    for (var state : HoldState.values()) {
      if (state.name().equals(text)) {
        return state;
      }
    }
    throw new InvalidField(
        "state", "The field state has to be HELD, CONFIRMED, RELEASED or EXPIRED.");
  }
}
