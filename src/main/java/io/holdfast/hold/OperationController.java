package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.Operation;
import io.holdfast.commitment.OperationLookup;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldOutcome.TokenFound;
import io.holdfast.hold.HoldOutcome.TokenNotFound;
import io.holdfast.idempotency.MalformedToken;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.pool.Pool;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.inject.Named;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Looks up the result of a call whose response was lost. A caller sees only its own calls.
@Controller("/v1/operations")
@OpenApiInfo.MayRefuse
@Secured({"hold", "commit"})
@SecurityRequirement(name = OpenApiInfo.KEY)
final class OperationController {
  private static final String PATH = "/v1/operations/";

  private final HoldService holds;
  private final OperationLookup operations;
  private final OperationJson json;
  private final PoolRegistry pools;
  private final RequestSettings settings;
  private final ExecutorService executor;

  OperationController(
      HoldService holds,
      OperationLookup operations,
      OperationJson json,
      PoolRegistry pools,
      RequestSettings settings,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.operations = operations;
    this.json = json;
    this.pools = pools;
    this.settings = settings;
    this.executor = executor;
  }

  @io.swagger.v3.oas.annotations.Operation(
      operationId = "getOperation",
      summary = "Look up the result of a lost response by its idempotency key",
      tags = "Operations")
  @ApiResponse(
      responseCode = "200",
      description = "DONE with the original response, or RUNNING.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Operation.class)))
  @ApiResponse(
      responseCode = "404",
      description =
          "not-known: there is no record yet. Send the request again with the same idempotency"
              + " key.")
  @Get("/{token}")
  CompletionStage<HttpResponse<?>> byToken(
      @Parameter(hidden = true) HttpRequest<?> http,
      String token,
      @QueryValue String pool,
      @Parameter(hidden = true) Caller caller) {
    var asked = token(http);
    return pools.with(pool, found -> byToken(found, caller.name(), asked));
  }

  @io.swagger.v3.oas.annotations.Operation(
      operationId = "findOperationByLogicalKey",
      summary = "Look up the result of a confirm by its logical key",
      tags = "Operations")
  @ApiResponse(
      responseCode = "200",
      description = "DONE with the original response.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Operation.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get
  CompletionStage<HttpResponse<?>> byLogicalKey(
      @QueryValue String pool, @QueryValue String logicalKey, Caller caller) {
    var key = JsonFields.of(Map.of("logicalKey", logicalKey)).text("logicalKey");
    return pools.with(
        pool,
        found ->
            CompletableFuture.supplyAsync(
                    () -> operations.byLogicalKey(found.name(), caller.name(), key), executor)
                .thenApply(known -> response(found, known)));
  }

  private CompletionStage<HttpResponse<?>> byToken(Pool pool, String caller, Token token) {
    return holds
        .findToken(pool, caller, token)
        .thenApplyAsync( // Redis first: what it has removed is in Postgres by then
            inRedis -> {
              var known = operations.byToken(pool.name(), caller, token);
              return known.isEmpty() ? response(pool, token, inRedis) : response(pool, known);
            },
            executor);
  }

  /// Postgres has no record of the token. Without Redis the result is unknown.
  private HttpResponse<?> response(Pool pool, Token token, HoldOutcome inRedis) {
    return switch (inRedis) {
      case TokenFound found -> json.of(pool, token, found);
      case TokenNotFound() -> OperationJson.unknown();
      case Shed _ -> HoldResponses.away(new Away(false, "Too many calls wait for Redis"));
      case HoldOutcome other -> HoldResponses.of(pool, other);
    };
  }

  private HttpResponse<?> response(Pool pool, Optional<Operation> known) {
    return known
        .<HttpResponse<?>>map(operation -> json.of(pool, operation))
        .orElseGet(OperationJson::unknown);
  }

  /// Reads the bytes of the token from the raw path.
  private Token token(HttpRequest<?> http) {
    var raw = http.getUri().getRawPath();
    var text = PercentBytes.decode(raw.substring(raw.indexOf(PATH) + PATH.length()));
    return switch (Token.of(text, settings.tokenMaxLength())) {
      case Token token -> token;
      case MalformedToken(var sentence) -> throw new InvalidField("token", sentence);
    };
  }
}
