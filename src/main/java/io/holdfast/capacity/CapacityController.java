package io.holdfast.capacity;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Patch;
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
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;

/// Changes a pool.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class CapacityController {
  private final IdempotencyHttp idempotency;
  private final CapacityChange capacities;
  private final PoolRegistry pools;

  CapacityController(IdempotencyHttp idempotency, CapacityChange capacities, PoolRegistry pools) {
    this.idempotency = idempotency;
    this.capacities = capacities;
    this.pools = pools;
  }

  /// The body of the request.
  @Introspected
  @Schema(name = "PoolChange")
  record Change(
      @Min(0) @Max(CAPACITY_MAX) @Schema(description = "How many units the pool has from now on.")
          long capacity) {
    static final long CAPACITY_MAX = 1_000_000_000L;
    static final BodyReader<Change> READER = BodyReader.of(Change.class);
  }

  @Operation(
      operationId = "changePool",
      summary = "Change the capacity of a pool of the kind STOCK",
      tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = Change.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The pool has this capacity.",
      content = @Content(schema = @Schema(implementation = CapacityChange.Changed.class)))
  @ApiResponse(
      responseCode = "409",
      description = "capacity-in-use: more units are held or sold. Nothing was changed.")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Patch("/{pool}")
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> change(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.CHANGE_POOL.word(), List.of(pool), fields);
    var found = pools.existing(pool);
    var call = idempotency.call(caller.name(), Route.CHANGE_POOL, token, digest).in(found.name());
    return idempotency.answer(capacities.change(call, found, fields));
  }
}
