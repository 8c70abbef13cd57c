package io.holdfast.seatmap;

import static java.util.concurrent.CompletableFuture.completedStage;

import io.holdfast.catalogue.PoolJson;
import io.holdfast.catalogue.PoolJson.Auction.State;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.auction.Auction;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.events.EventJson;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Counted;
import io.holdfast.hold.HoldResponses;
import io.holdfast.hold.HoldService;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolKind;
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
  private final HoldService holds;
  private final SeatMapReader reader;
  private final PoolRegistry pools;
  private final AuctionTable auctions;
  private final ExecutorService executor;

  PoolStateController(
      HoldService holds,
      SeatMapReader reader,
      PoolRegistry pools,
      AuctionTable auctions,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.reader = reader;
    this.pools = pools;
    this.auctions = auctions;
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
            holds
                .count(found)
                .thenCompose(
                    outcome ->
                        outcome instanceof Counted(var counts)
                            ? one(found, counts)
                            : completedStage(HoldResponses.of(found, outcome))));
  }

  private CompletionStage<HttpResponse<?>> one(Pool known, PoolCounts counts) {
    return current(known, counts)
        .thenCompose(
            pool ->
                auction(pool)
                    .thenApply(auction -> HttpResponse.ok(PoolJson.of(pool, counts, auction))));
  }

  /// Another instance may have changed the pool.
  private CompletionStage<Pool> current(Pool known, PoolCounts counts) {
    return pools.isCurrent(known, counts.rules())
        ? completedStage(known)
        : CompletableFuture.supplyAsync(() -> pools.current(known, counts.rules()), executor);
  }

  /// Only an auction needs Postgres here.
  private CompletionStage<PoolJson.@Nullable Auction> auction(Pool pool) {
    return pool.kind() == PoolKind.AUCTION
        ? CompletableFuture.supplyAsync(
            () -> auctions.find(pool.name()).map(PoolStateController::json).orElseThrow(), executor)
        : completedStage(null);
  }

  private static PoolJson.Auction json(Auction auction) {
    var result = auction.result();
    var winner = result == null ? null : result.winner();
    return new PoolJson.Auction(
        EventJson.timestamp(auction.closesAt()),
        auction.reserveCents(),
        state(auction),
        result == null ? null : EventJson.timestamp(result.closedAt()),
        winner == null ? null : winner.bidId(),
        winner == null ? null : winner.amountCents());
  }

  private static State state(Auction auction) {
    if (auction.result() != null) {
      return State.CLOSED;
    }
    return auction.isClosing() || auction.isOver() ? State.CLOSING : State.OPEN;
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
            holds
                .count(found)
                .thenCompose(
                    outcome ->
                        outcome instanceof Counted(var counts)
                            ? items(found, counts, known == null ? "" : known)
                            : completedStage(HoldResponses.of(found, outcome))));
  }

  /// A client with the current snapshot costs one short call to Redis.
  private CompletionStage<HttpResponse<?>> items(Pool pool, PoolCounts counts, String known) {
    return isKnown(known, SeatMapSnapshot.etag(counts))
        ? completedStage(unchanged(SeatMapSnapshot.etag(counts)))
        : CompletableFuture.supplyAsync(() -> readItems(pool, counts, known), executor);
  }

  private MutableHttpResponse<?> readItems(Pool pool, PoolCounts counts, String known) {
    var snapshot = reader.snapshot(pools.current(pool, counts.rules()), counts);
    if (snapshot.isEmpty()) {
      return HoldResponses.of(pool, new Away(true, "the pool is being loaded into Redis"));
    }
    var etag = snapshot.get().etag();
    return isKnown(known, etag)
        ? unchanged(etag)
        : HoldResponses.json(HttpStatus.OK, snapshot.get().body()).header(HttpHeaders.ETAG, etag);
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
    SOLD,
    BLOCKED
  }
}
