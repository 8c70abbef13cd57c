package io.holdfast.catalogue;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.web.LargeBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
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
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import org.jspecify.annotations.Nullable;

/// Creates and lists pools.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class PoolController {
  private final PoolCreation creation;
  private final Catalogue catalogue;

  PoolController(PoolCreation creation, Catalogue catalogue) {
    this.creation = creation;
    this.catalogue = catalogue;
  }

  @Operation(
      operationId = "createPool",
      summary = "Create a pool with its items and its policy",
      tags = "Pools")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = PoolRequest.NewPool.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The pool is open for holds.",
      content = @Content(schema = @Schema(implementation = PoolJson.Created.class)))
  @ApiResponse(responseCode = "409", description = "pool-exists")
  @Post
  @LargeBody
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> create(
      @Parameter(hidden = true) HttpRequest<?> request,
      @Body byte[] body,
      @Parameter(hidden = true) Caller caller) {
    return creation.create(request.getHeaders(), body, caller.name());
  }

  @Operation(operationId = "listPools", summary = "List all pools", tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = PoolJson.Page.class)))
  @Get
  @Secured(SecurityRule.IS_AUTHENTICATED)
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> page(@QueryValue @Nullable String after, @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    var read = catalogue.page(page.after(), page.limit() + 1);
    var shown = read.subList(0, Math.min(read.size(), page.limit()));
    var response =
        HttpResponse.ok(new PoolJson.Page(shown.stream().map(PoolJson.Brief::of).toList()));
    if (read.size() > page.limit()) {
      page.next(shown.getLast().name().value()).linkTo("/v1/pools", response);
    }
    return response;
  }
}
