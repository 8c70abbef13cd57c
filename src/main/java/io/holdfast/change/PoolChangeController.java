package io.holdfast.change;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.Pool;
import io.holdfast.web.JsonBody;
import io.holdfast.web.LargeBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Patch;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The routes that change a pool and its items.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class PoolChangeController {
  private final IdempotencyHttp idempotency;
  private final PoolRegistry pools;
  private final RuleChange rules;
  private final ItemAddition additions;
  private final ItemBlocks blocks;

  PoolChangeController(
      IdempotencyHttp idempotency,
      PoolRegistry pools,
      RuleChange rules,
      ItemAddition additions,
      ItemBlocks blocks) {
    this.idempotency = idempotency;
    this.pools = pools;
    this.rules = rules;
    this.additions = additions;
    this.blocks = blocks;
  }

  @Operation(
      operationId = "changePool",
      summary = "Change the rules, the prices or the capacity of a pool",
      tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = PoolChangeBody.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The pool as it is now.",
      content = @Content(schema = @Schema(implementation = RuleChange.Changed.class)))
  @ApiResponse(
      responseCode = "409",
      description = "capacity-in-use: more units are held or sold. Nothing was changed.")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Patch("/{pool}")
  @Secured("operate")
  HttpResponse<?> change(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    return call(caller, headers, pool, body, Route.CHANGE_POOL, rules::change);
  }

  @Operation(operationId = "addItems", summary = "Add items to a pool of seats", tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ItemAddition.Body.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The items are on sale.",
      content = @Content(schema = @Schema(implementation = ItemAddition.Added.class)))
  @ApiResponse(
      responseCode = "409",
      description = "item-exists: `items` lists those that the pool has. Nothing was added.")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/{pool}/items")
  @LargeBody
  @Secured("operate")
  HttpResponse<?> add(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    return call(caller, headers, pool, body, Route.ADD_ITEMS, additions::add);
  }

  @Operation(
      operationId = "blockItems",
      summary = "Take items out of sale, all of them or none",
      tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ItemBlocks.Body.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The items are BLOCKED.",
      content = @Content(schema = @Schema(implementation = ItemBlocks.Changed.class)))
  @ApiResponse(
      responseCode = "409",
      description =
          "resource-unavailable: `items` lists those that are held or sold. Nothing was changed."
              + " attempt-collision: another call is blocking one of them.")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/{pool}/blocks")
  @Secured("operate")
  HttpResponse<?> block(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    return call(caller, headers, pool, body, Route.BLOCK_ITEMS, blocks::block);
  }

  @Operation(
      operationId = "unblockItems",
      summary = "Bring items back on sale",
      description = "Items that are not blocked stay as they are.",
      tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ItemBlocks.Body.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The items are FREE.",
      content = @Content(schema = @Schema(implementation = ItemBlocks.Changed.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Delete("/{pool}/blocks")
  @Secured("operate")
  HttpResponse<?> unblock(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    return call(caller, headers, pool, body, Route.UNBLOCK_ITEMS, blocks::unblock);
  }

  private interface Work {
    IdempotentResult run(IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> fields);
  }

  private HttpResponse<?> call(
      Caller caller, HttpHeaders headers, String pool, byte[] body, Route route, Work work) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(route.word(), List.of(pool), fields);
    var found = pools.existing(pool);
    var call = idempotency.call(caller.name(), route, token, digest).in(found.name());
    return idempotency.answer(work.run(call, found, fields));
  }
}
