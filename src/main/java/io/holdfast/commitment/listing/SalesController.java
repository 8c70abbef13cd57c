package io.holdfast.commitment.listing;

import io.holdfast.access.Caller;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The routes that list sales. A caller sees its own; operators and auditors see those of all
/// callers.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@Secured({"commit", "operate", "audit"})
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class SalesController {
  private static final String CSV = "text/csv";
  private static final String WHO =
      "Those of the caller, in the order of their ids, also those that are voided. With the scope"
          + " `operate` or `audit`, those of all callers.";
  private static final String PREFIX = "cm~";

  private final SalesReader sales;

  SalesController(SalesReader sales) {
    this.sales = sales;
  }

  @Operation(
      operationId = "listSales",
      summary = "List the sales of a pool",
      description = WHO,
      tags = "Commitments")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = SaleJson.Listed.class)))
  @ApiResponse(responseCode = "404", description = "not-known: there is no such pool.")
  @Get("/{pool}/sales")
  HttpResponse<?> page(
      @Parameter(hidden = true) Caller caller,
      String pool,
      @Parameter(description = "`SOLD`, `PARTLY_VOIDED` or `VOIDED`.") @QueryValue
          @Nullable String state,
      @QueryValue @Nullable String requester,
      @QueryValue @Nullable String orderId,
      @Parameter(description = "Sales from this time on, RFC 3339.") @QueryValue
          @Nullable String from,
      @Parameter(description = "Sales before this time, RFC 3339.") @QueryValue
          @Nullable String until,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var query =
        new SalesFilter.Query(caller.limitOfLists(), state, requester, orderId, from, until);
    var page = PageRequest.read(after, limit);
    var kind = kind(pool);
    var found = sales.page(query.of(new PoolName(pool)), hold(page.after()), page.limit());
    var response =
        HttpResponse.ok(
            new SaleJson.Listed(found.stream().map(sale -> SaleJson.of(kind, sale)).toList()));
    if (found.size() == page.limit()) {
      query
          .addTo(page.next(found.getLast().commitmentId()))
          .linkTo("/v1/pools/" + pool + "/sales", response);
    }
    return response;
  }

  @Operation(
      operationId = "exportSales",
      summary = "Get the sales of a pool as a CSV file",
      description =
          WHO
              + " One line for each item. A field that a spreadsheet would take for a formula"
              + " begins with an apostrophe.",
      tags = "Commitments")
  @ApiResponse(
      responseCode = "200",
      description = "All sales, as RFC 4180 has it.",
      content = @Content(mediaType = CSV, schema = @Schema(implementation = String.class)))
  @ApiResponse(responseCode = "404", description = "not-known: there is no such pool.")
  @Get("/{pool}/sales.csv")
  HttpResponse<?> csv(
      @Parameter(hidden = true) Caller caller,
      String pool,
      @Parameter(description = "`SOLD`, `PARTLY_VOIDED` or `VOIDED`.") @QueryValue
          @Nullable String state,
      @QueryValue @Nullable String requester,
      @QueryValue @Nullable String orderId,
      @Parameter(description = "Sales from this time on, RFC 3339.") @QueryValue
          @Nullable String from,
      @Parameter(description = "Sales before this time, RFC 3339.") @QueryValue
          @Nullable String until) {
    var query =
        new SalesFilter.Query(caller.limitOfLists(), state, requester, orderId, from, until);
    kind(pool);
    var csv = SalesCsv.of(sales, query.of(new PoolName(pool)));
    return HttpResponse.ok(new StreamedFile(csv, MediaType.of(CSV + "; charset=utf-8")))
        .header(HttpHeaders.CACHE_CONTROL, "no-store") // a file would be kept for a minute
        .header(HttpHeaders.EXPIRES, "0")
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"sales-" + pool + ".csv\"");
  }

  private PoolKind kind(String pool) {
    return Optional.of(pool)
        .filter(PoolName::isName)
        .flatMap(name -> sales.kind(new PoolName(name)))
        .orElseThrow(
            () ->
                new ProblemException(
                    Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool.")));
  }

  /// The hold of the last sale of the page before.
  private static String hold(String after) {
    if (after.isEmpty()) {
      return "";
    }
    if (!after.startsWith(PREFIX)) {
      throw PageRequest.notFromLink();
    }
    return after.substring(PREFIX.length());
  }
}
