package io.holdfast.audit;

import io.holdfast.web.InvalidField;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import org.jspecify.annotations.Nullable;

/// Lists the duplicate guards and their entries, for diagnosis.
@Controller("/v1/audit/duplicates")
@OpenApiInfo.MayRefuse
@Secured("audit")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class DuplicateController {
  private static final String PATH = "/v1/audit/duplicates";
  private static final long SKIP_MAX = 1_000_000;

  private final GuardRegistry guards;

  DuplicateController(GuardRegistry guards) {
    this.guards = guards;
  }

  @Operation(
      operationId = "listDuplicateGuards",
      summary = "List the duplicate guards, the tables of idempotency keys, and their entries",
      description =
          "`tokens` and `requests` are the tables of idempotency keys: of holds and confirms, and"
              + " of the other routes. Confirms, checkouts and voids are kept for `commitWindowMs`,"
              + " all others for `windowMs`. The tables keep the rules of a guard without being"
              + " one, as `keptBy` says. The entries are those of `tokens` unless another is named;"
              + " the keys of `requests` are shown as hashes.",
      tags = "Audit")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = GuardReport.class)))
  @Get
  HttpResponse<?> list(
      @QueryValue @Nullable String guard,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    var skip = page.afterNumber();
    if (skip < 0 || skip > SKIP_MAX) {
      throw new InvalidField("after", "The field after has to be taken from a header Link.");
    }
    var found = guards.report(guard, (int) skip, page.limit());
    var response = HttpResponse.ok(found);
    if (found.recorded().size() == page.limit()) {
      page.next(Long.toString(skip + page.limit())).with("guard", guard).linkTo(PATH, response);
    }
    return response;
  }
}
