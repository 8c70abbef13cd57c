package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.hold.HoldReads.Reading;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.postgres.HoldFilter;
import io.holdfast.web.Api;
import io.holdfast.web.Fields;
import io.holdfast.web.InvalidField;
import io.holdfast.web.Page;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Holds as they are. Each caller sees its own.
@Controller("/v1")
@Api.MayRefuse
@SecurityRequirement(name = Api.KEY)
@Secured("hold")
final class HoldReadController {
  private final HoldReads reads;
  private final Pools pools;

  HoldReadController(HoldReads reads, Pools pools) {
    this.reads = reads;
    this.pools = pools;
  }

  @Operation(summary = "A hold as it is", tags = "Holds")
  @ApiResponse(
      responseCode = "200",
      description = "Also long after its end",
      content = @Content(schema = @Schema(implementation = Bodies.Hold.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/holds/{holdId}")
  CompletionStage<HttpResponse<?>> one(String holdId, @Parameter(hidden = true) Caller caller) {
    var id = HoldId.parse(holdId);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(HoldAnswers.unknownHold());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            reads
                .one(pool, id.get(), caller.name())
                .thenApply(
                    reading ->
                        switch (reading) {
                          case Reading.Found(var holds, _) ->
                              HoldAnswers.json(HttpStatus.OK, HoldView.of(pool, holds.getFirst()));
                          case Reading.Nothing() -> HoldAnswers.unknownHold();
                          case Reading.NotNow(var why) -> HoldAnswers.of(pool, Decision.fresh(why));
                        }));
  }

  @Operation(summary = "One's own holds in a pool, page by page", tags = "Holds")
  @ApiResponse(
      responseCode = "200",
      description = "The header Link leads to the next page",
      content = @Content(schema = @Schema(implementation = Bodies.Holds.class)))
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
            requester == null ? null : Fields.of(Map.of("requester", requester)).text("requester"));
    var page = Page.read(after, limit);
    return pools.with(
        pool,
        found ->
            reads
                .page(found, filter, page.afterNumber(), page.limit())
                .thenApply(reading -> answer(found, reading, page, filter)));
  }

  private static MutableHttpResponse<?> answer(
      Pool pool, Reading reading, Page page, HoldFilter filter) {
    return switch (reading) {
      case Reading.Found found -> answer(pool, found, page, filter);
      case Reading.Nothing() -> HoldAnswers.json(HttpStatus.OK, HoldView.ofPage(pool, List.of()));
      case Reading.NotNow(var why) -> HoldAnswers.of(pool, Decision.fresh(why));
    };
  }

  private static MutableHttpResponse<?> answer(
      Pool pool, Reading.Found found, Page page, HoldFilter filter) {
    var answer = HoldAnswers.json(HttpStatus.OK, HoldView.ofPage(pool, found.holds()));
    if (found.next() != null) {
      page.next(found.next().toString())
          .with("state", filter.state() == null ? null : filter.state().name())
          .with("requester", filter.requester())
          .linkTo("/v1/pools/" + pool.name() + "/holds", answer);
    }
    return answer;
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
