package io.holdfast.audit;

import io.holdfast.catalogue.Catalogue;
import io.holdfast.idempotency.MalformedToken;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.web.InvalidField;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/// What an auditor may ask, of all callers.
@Controller("/v1/audit")
@OpenApiInfo.MayRefuse
@Secured("audit")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class AuditController {
  private static final String TOKENS = "/v1/audit/tokens/";

  private final AuditReports reports;
  private final HistoryQuery trails;
  private final Catalogue pools;
  private final RequestSettings settings;

  AuditController(
      AuditReports reports, HistoryQuery trails, Catalogue pools, RequestSettings settings) {
    this.pools = pools;
    this.reports = reports;
    this.trails = trails;
    this.settings = settings;
  }

  @Operation(
      operationId = "getAuditReport",
      summary = "Run the audit checks and report their findings",
      tags = "Audit")
  @ApiResponse(responseCode = "200", description = "The findings of all checks.")
  @Get("/report")
  AuditReport report() {
    return reports.make();
  }

  @Operation(
      operationId = "getHoldHistory",
      summary = "List all recorded steps of a hold, oldest first",
      tags = "Audit")
  @ApiResponse(
      responseCode = "200",
      description = "The steps with their idempotency keys, attempts, fences and times.")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/holds/{holdId}")
  HttpResponse<?> hold(String holdId) {
    var id = HoldId.parse(holdId);
    var steps = id.map(trails::of).filter(found -> !found.isEmpty());
    return steps.isEmpty()
        ? unknown()
        : HttpResponse.ok(new History(holdId, id.get().pool().value(), steps.get()));
  }

  @Operation(
      operationId = "getTokenHistory",
      summary = "List all uses of an idempotency key by any caller, oldest first",
      tags = "Audit")
  @ApiResponse(responseCode = "200", description = "The uses with their outcomes and times.")
  @ApiResponse(responseCode = "404", description = "not-known: there is no such pool.")
  @Get("/tokens/{token}")
  History token(
      @Parameter(hidden = true) HttpRequest<?> http, String token, @QueryValue String pool) {
    if (!PoolName.isName(pool)) {
      throw new InvalidField("pool", "This is not the name of a pool.");
    }
    if (pools.find(new PoolName(pool)).isEmpty()) {
      throw new ProblemException(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool."));
    }
    return new History(token, pool, trails.of(new PoolName(pool), token(http)));
  }

  private static HttpResponse<?> unknown() {
    return HttpResponse.notFound(
            Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such hold on record."))
        .contentType(Problem.MEDIA_TYPE);
  }

  /// The bytes of the token, not the characters that they may stand for.
  private Token token(HttpRequest<?> http) {
    var raw = http.getUri().getRawPath();
    var coded = raw.substring(raw.indexOf(TOKENS) + TOKENS.length()).replace("+", "%2B");
    try {
      var text = URLDecoder.decode(coded, StandardCharsets.ISO_8859_1);
      return switch (Token.of(text, settings.tokenMaxLength())) {
        case Token token -> token;
        case MalformedToken(var sentence) -> throw new InvalidField("token", sentence);
      };
    } catch (IllegalArgumentException e) {
      throw new InvalidField("token", "The token is not percent-encoded as it should be.");
    }
  }
}
