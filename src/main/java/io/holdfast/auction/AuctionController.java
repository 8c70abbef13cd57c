package io.holdfast.auction;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.auction.AuctionNotDrained;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentCall;
import io.holdfast.hold.IdempotentCall.Request;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.ProblemHandlers;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Places and shows bids, and closes auctions.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class AuctionController {
  private static final int TOP_USUAL = 10;
  private static final int TOP_MAX = 100;

  private final HoldService holds;
  private final IdempotentCall calls;
  private final LeaderBoard boards;
  private final AuctionCloser closer;
  private final PoolRegistry pools;
  private final IdempotencyStore results;
  private final IdempotencyHttp idempotency;

  AuctionController(
      HoldService holds,
      IdempotentCall calls,
      LeaderBoard boards,
      AuctionCloser closer,
      PoolRegistry pools,
      IdempotencyStore results,
      IdempotencyHttp idempotency) {
    this.holds = holds;
    this.calls = calls;
    this.boards = boards;
    this.closer = closer;
    this.pools = pools;
    this.results = results;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "placeBid",
      summary = "Bid for the lot of an auction, or raise the requester's own bid",
      description =
          "A bid is a hold: it lasts for the pool's leaseSeconds, a heartbeat extends it, and a"
              + " release withdraws it.",
      tags = "Auctions")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = BidBody.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The bid is placed; a lower bid of the requester has ended.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = AuctionJson.PlacedBid.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The requester offers this amount already; its bid is unchanged.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = AuctionJson.PlacedBid.class)))
  @ApiResponse(
      responseCode = "409",
      description = "bid-too-low, auction-closed, auction-full, sales-closed")
  @ApiResponse(responseCode = "400", description = "invalid-request")
  @ApiResponse(responseCode = "422", description = "token-collision")
  @ApiResponse(responseCode = "503", description = "storage-failure, overloaded")
  @Post("/{pool}/bids")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> bid(
      @Parameter(hidden = true) HttpRequest<?> http,
      String pool,
      @Body byte[] body,
      @Parameter(hidden = true) Caller caller) {
    var path = pool + "/bids";
    return calls.execute(
        new Request(TokenAction.PLACE_HOLD, caller, pool, path, http.getHeaders(), body),
        (call, fields) -> {
          var bid = BidBody.read(fields, call.pool());
          return holds.bid(call, bid.requester(), bid.amountCents());
        });
  }

  @Operation(
      operationId = "listBids",
      summary = "List the highest live bids of an auction, the leader first",
      tags = "Auctions")
  @ApiResponse(
      responseCode = "200",
      description = "The highest bids. Of equal amounts the earlier one comes first.",
      content = @Content(schema = @Schema(implementation = AuctionJson.Bids.class)))
  @Get("/{pool}/bids")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  CompletionStage<HttpResponse<?>> top(String pool, @QueryValue @Nullable String top) {
    var most = count(top);
    return pools.with(
        pool,
        found -> {
          refuseOtherKind(found);
          return boards
              .top(found, most)
              .thenApply(
                  board ->
                      HttpResponse.ok(
                          new AuctionJson.Bids(
                              board.highest().stream()
                                  .map(hold -> AuctionJson.Bid.of(found.name(), hold))
                                  .toList())));
        });
  }

  private static int count(@Nullable String text) {
    if (text == null) {
      return TOP_USUAL;
    }
    try {
      var count = Integer.parseInt(text);
      if (count >= 1 && count <= TOP_MAX) {
        return count;
      }
    } catch (NumberFormatException e) {
      // refused below, as a number that is out of range
    }
    throw InvalidField.of("top", "has to be a whole number from 1 to " + TOP_MAX);
  }

  @Operation(
      operationId = "closeAuction",
      summary = "Close an auction now, and sell its lot to the highest bid",
      description =
          "For operators. An auction closes by itself at its closesAt. A closed auction answers"
              + " with its result.",
      tags = "Auctions")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = Object.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The result.",
      content = @Content(schema = @Schema(implementation = AuctionJson.Result.class)))
  @ApiResponse(responseCode = "400", description = "invalid-request")
  @ApiResponse(responseCode = "404", description = "not-known")
  @ApiResponse(responseCode = "422", description = "token-collision")
  @ApiResponse(
      responseCode = "503",
      description = "storage-failure: the auction is closed as soon as both servers are there.")
  @Post("/{pool}/close")
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> close(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.CLOSE_AUCTION.word(), List.of(pool), fields);
    var found = pools.existing(pool);
    var call = idempotency.call(caller.name(), Route.CLOSE_AUCTION, token, digest).in(found.name());
    try {
      return idempotency.answer(close(call, found, fields));
    } catch (RedisUnavailable | PostgresUnavailable | AuctionNotDrained e) {
      return ProblemHandlers.unavailable(false); // bids may have been stopped
    }
  }

  private IdempotentResult close(
      IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> body) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    try {
      JsonFields.of(body).refuseOthers();
      refuseOtherKind(pool);
    } catch (InvalidField e) {
      return results.once(call, _ -> idempotency.stored(e.problem()));
    }
    var result = AuctionJson.Result.of(closer.closeNow(pool));
    return results.once(call, _ -> idempotency.stored(HttpStatus.OK, result));
  }

  private static void refuseOtherKind(Pool pool) {
    if (pool.kind() != PoolKind.AUCTION) {
      throw new InvalidField(null, "This pool is not an auction.");
    }
  }
}
