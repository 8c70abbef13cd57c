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
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.idempotency.store.StoredRequests;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
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
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Looks up the result of a call whose response was lost. A caller sees only its own calls.
@Controller("/v1/operations")
@OpenApiInfo.MayRefuse
@Secured({"hold", "commit", "operate"})
@SecurityRequirement(name = OpenApiInfo.KEY)
final class OperationController {
  private static final String PATH = "/v1/operations/";

  private final HoldService holds;
  private final OperationLookup operations;
  private final StoredRequests requests;
  private final ReplayLog replays;
  private final OperationJson json;
  private final PoolRegistry pools;
  private final RequestSettings settings;
  private final ExecutorService executor;

  OperationController(
      HoldService holds,
      OperationLookup operations,
      StoredRequests requests,
      ReplayLog replays,
      OperationJson json,
      PoolRegistry pools,
      RequestSettings settings,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.operations = operations;
    this.requests = requests;
    this.replays = replays;
    this.json = json;
    this.pools = pools;
    this.settings = settings;
    this.executor = executor;
  }

  @io.swagger.v3.oas.annotations.Operation(
      operationId = "getOperation",
      summary = "Look up the result of a lost response by its idempotency key",
      description =
          "Finds the calls of every route that takes an Idempotency-Key: those of holds, confirms,"
              + " checkouts, voids and admissions with the `pool` that they belong to, those"
              + " without a pool, such as createKey or createWebhook, without it. A checkout, a"
              + " void, an authorization or a createPool is found both ways. If several routes have"
              + " used the key, `action` chooses one; otherwise the latest call is shown.",
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
      @Parameter(description = "The pool that the call belongs to, if it belongs to one.")
          @QueryValue
          @Nullable String pool,
      @Parameter(description = "Such as place_hold, confirm, create_checkout or create_pool.")
          @QueryValue
          @Nullable String action,
      @Parameter(hidden = true) Caller caller) {
    var asked = new Asked(caller.name(), token(http), action);
    return pool == null
        ? CompletableFuture.supplyAsync(() -> ofRoutes(asked, null), executor)
        : pools.with(pool, found -> byToken(found, asked));
  }

  /// @param action null for any
  private record Asked(String caller, Token token, @Nullable String action) {
    boolean isFor(String each) {
      return action == null || action.equals(each);
    }
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
                () ->
                    response(
                        found,
                        caller.name(),
                        operations.byLogicalKey(found.name(), caller.name(), key)),
                executor));
  }

  private CompletionStage<HttpResponse<?>> byToken(Pool pool, Asked asked) {
    return holds
        .findToken(pool, asked.caller, asked.token)
        .thenApplyAsync( // Redis first: what it has removed is in Postgres by then
            inRedis -> recorded(pool, asked, inRedis), executor);
  }

  /// The call on a hold, or the call of a route if that is the only or the later one.
  private HttpResponse<?> recorded(Pool pool, Asked asked, HoldOutcome inRedis) {
    var ofHold = ofHold(pool, asked, inRedis);
    var ofRoute = latest(asked, pool.name());
    if (ofHold.isPresent()
        && (ofRoute.isEmpty() || !ofRoute.get().recordedAt().isAfter(ofHold.get().at))) {
      return ofHold.get().response;
    }
    if (ofRoute.isPresent()) {
      return json.of(asked.token, ofRoute.get());
    }
    return switch (inRedis) {
      case TokenFound _, TokenNotFound _ -> OperationJson.unknown();
      case Shed _ -> HoldResponses.away(new Away(false, "Too many calls wait for Redis"));
      case HoldOutcome other -> HoldResponses.of(pool, other);
    };
  }

  private record Shown(Instant at, HttpResponse<?> response) {}

  /// Replays that are not stored yet are counted before Postgres is asked: it may get them and the
  /// entry in between.
  private Optional<Shown> ofHold(Pool pool, Asked asked, HoldOutcome inRedis) {
    var waiting =
        inRedis instanceof TokenFound found
            ? replays.waiting(asked.caller, found.action(), pool.name(), asked.token)
            : 0;
    var known = operations.byToken(pool.name(), asked.caller, asked.token);
    if (known.isPresent()) {
      return known
          .filter(operation -> asked.isFor(operation.action().word()))
          .map(
              operation ->
                  new Shown(operation.recordedAt(), json.of(pool, asked.caller, operation)));
    }
    return inRedis instanceof TokenFound found && asked.isFor(found.action().word())
        ? Optional.of(
            new Shown(found.recordedAt(), json.of(pool, asked.caller, asked.token, found, waiting)))
        : Optional.empty();
  }

  private HttpResponse<?> ofRoutes(Asked asked, @Nullable PoolName pool) {
    return latest(asked, pool)
        .<HttpResponse<?>>map(found -> json.of(asked.token, found))
        .orElseGet(OperationJson::unknown);
  }

  private Optional<StoredRequests.Found> latest(Asked asked, @Nullable PoolName pool) {
    return requests.find(asked.caller, pool, asked.token).stream()
        .filter(found -> asked.isFor(found.route()))
        .max(Comparator.comparing(StoredRequests.Found::recordedAt));
  }

  private HttpResponse<?> response(Pool pool, String caller, Optional<Operation> known) {
    return known
        .<HttpResponse<?>>map(operation -> json.of(pool, caller, operation))
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
