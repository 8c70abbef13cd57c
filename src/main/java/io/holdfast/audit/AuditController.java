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
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/// Routes for auditors: the report, and the history of holds and tokens of all callers.
@Controller("/v1/audit")
@OpenApiInfo.MayRefuse
@Secured("audit")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class AuditController {
  private static final String TOKENS = "/v1/audit/tokens/";

  private final AuditReports reports;
  private final HistoryQuery history;
  private final Catalogue pools;
  private final RequestSettings settings;

  AuditController(
      AuditReports reports, HistoryQuery history, Catalogue pools, RequestSettings settings) {
    this.pools = pools;
    this.reports = reports;
    this.history = history;
    this.settings = settings;
  }

  @Operation(
      operationId = "getAuditReport",
      summary = "Run the audit checks and report their findings",
      tags = "Audit")
  @ApiResponse(responseCode = "200", description = "The findings of all checks.")
  @Get("/report")
  AuditReport report() {
    return reports.create();
  }

  @Operation(
      operationId = "getHoldHistory",
      summary = "List all recorded steps of a hold, oldest first",
      tags = "Audit")
  @ApiResponse(
      responseCode = "200",
      description = "The steps with their idempotency keys, attempts, fences and times.",
      content = @Content(schema = @Schema(implementation = History.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/holds/{holdId}")
  HttpResponse<?> hold(String holdId) {
    var id = HoldId.parse(holdId);
    var steps = id.map(history::of).filter(found -> !found.isEmpty());
    return steps.isEmpty()
        ? notKnown()
        : HttpResponse.ok(new History(holdId, id.get().pool().value(), steps.get()));
  }

  @Operation(
      operationId = "getTokenHistory",
      summary = "List all uses of an idempotency key by any caller, oldest first",
      description =
          "A step with the source `replay` says how often the answer of a use was repeated, and"
              + " stands at the time of the last replay.",
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
    return new History(token, pool, history.of(new PoolName(pool), token(http)));
  }

  private static HttpResponse<?> notKnown() {
    return HttpResponse.notFound(
            Problem.refused(
                HttpStatus.NOT_FOUND, "not-known", "There is no record of such a hold."))
        .contentType(Problem.MEDIA_TYPE);
  }

  /// Decodes the token to its bytes. The path variable was decoded as UTF-8.
  private Token token(HttpRequest<?> http) {
    var raw = http.getUri().getRawPath();
    var encoded = raw.substring(raw.indexOf(TOKENS) + TOKENS.length()).replace("+", "%2B");
    try {
      var text = URLDecoder.decode(encoded, StandardCharsets.ISO_8859_1);
      return switch (Token.of(text, settings.tokenMaxLength())) {
        case Token token -> token;
        case MalformedToken(var sentence) -> throw new InvalidField("token", sentence);
      };
    } catch (IllegalArgumentException e) {
      throw new InvalidField("token", "The token is not percent-encoded correctly.");
    }
  }
}
