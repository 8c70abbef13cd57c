package io.holdfast.seatmap;

import static java.util.concurrent.CompletableFuture.completedStage;

import io.holdfast.catalogue.PoolJson;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Stands;
import io.holdfast.hold.HoldResponses;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.TokenOutcome;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.inject.Named;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Shows the state of a pool: its counts, and the state of each item.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class PoolStateController {
  private final HoldService desk;
  private final SeatMapReader map;
  private final PoolRegistry pools;
  private final ExecutorService executor;

  PoolStateController(
      HoldService desk,
      SeatMapReader map,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.map = map;
    this.pools = pools;
    this.executor = executor;
  }

  @Operation(
      operationId = "getPool",
      summary = "Get a pool with its policy and its counts",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description = "The pool with the counts of its items.",
      content = @Content(schema = @Schema(implementation = PoolJson.class)))
  @Get("/{pool}")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  CompletionStage<HttpResponse<?>> one(String pool) {
    return pools.with(
        pool,
        found ->
            desk.standing(found)
                .thenApply(
                    decision ->
                        decision.outcome() instanceof Stands(var standing)
                            ? HttpResponse.ok(PoolJson.of(found, standing))
                            : HoldResponses.of(found, decision)));
  }

  @Operation(
      operationId = "listItemStates",
      summary = "List all items of a pool with their states",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description = "The states, with an ETag.",
      content = @Content(schema = @Schema(implementation = Items.class)))
  @ApiResponse(responseCode = "304", description = "Nothing has changed since that ETag.")
  @Get("/{pool}/items")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  CompletionStage<HttpResponse<?>> items(
      String pool, @Header(HttpHeaders.IF_NONE_MATCH) @Nullable String known) {
    return pools.with(
        pool,
        found ->
            desk.standing(found)
                .thenCompose(
                    decision ->
                        decision.outcome() instanceof Stands(var standing)
                            ? items(found, standing, known == null ? "" : known)
                            : completedStage(HoldResponses.of(found, decision))));
  }

  /// Whoever has the present picture is told so for the price of one short call.
  private CompletionStage<HttpResponse<?>> items(Pool pool, PoolCounts standing, String known) {
    return isKnown(known, SeatMapSnapshot.etag(standing))
        ? completedStage(unchanged(SeatMapSnapshot.etag(standing)))
        : CompletableFuture.supplyAsync(() -> drawn(pool, standing, known), executor);
  }

  private MutableHttpResponse<?> drawn(Pool pool, PoolCounts standing, String known) {
    var picture = map.picture(pool, standing);
    if (picture.isEmpty()) {
      var why = new Away(true, "the pool is being brought into Redis");
      return HoldResponses.of(pool, TokenOutcome.fresh(why));
    }
    var etag = picture.get().etag();
    return isKnown(known, etag)
        ? unchanged(etag)
        : HoldResponses.json(HttpStatus.OK, picture.get().body()).header(HttpHeaders.ETAG, etag);
  }

  /// @param known a list of tags, or a star for any
  private static boolean isKnown(String known, String etag) {
    return known.strip().equals("*") || known.contains(etag);
  }

  private static MutableHttpResponse<?> unchanged(String etag) {
    return HttpResponse.notModified().header(HttpHeaders.ETAG, etag);
  }

  @Introspected
  @Schema(name = "Items")
  record Items(long version, List<Item> items) {}

  @Introspected
  @Schema(name = "Item")
  record Item(String item, ItemState state) {}

  @Schema(name = "ItemState")
  enum ItemState {
    FREE,
    HELD,
    SOLD
  }
}
