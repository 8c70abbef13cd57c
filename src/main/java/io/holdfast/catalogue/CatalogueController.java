package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.inject.Named;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Lists the items of a pool with their places and prices. Places never change, so a client that
/// draws a map reads them once; prices may, and items may be added.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class CatalogueController {
  private final PoolRegistry pools;
  private final Catalogue catalogue;
  private final ExecutorService executor;

  CatalogueController(
      PoolRegistry pools,
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.pools = pools;
    this.catalogue = catalogue;
    this.executor = executor;
  }

  @Operation(
      operationId = "listCatalogue",
      summary = "List the items of a pool with their places and prices",
      tags = "Pools")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = Offers.class)))
  @Get("/{pool}/catalogue")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  CompletionStage<HttpResponse<?>> page(
      String pool, @QueryValue @Nullable String after, @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    var skipped = Math.clamp(page.afterNumber(), 0, Integer.MAX_VALUE);
    return pools.with(
        pool,
        found -> CompletableFuture.supplyAsync(() -> respond(found, page, skipped), executor));
  }

  private HttpResponse<?> respond(Pool pool, PageRequest page, int skipped) {
    var items =
        pool.kind().makesItems() // sold values are nobody else's business
            ? List.<CatalogueItem>of()
            : catalogue.items(pool.name(), skipped, page.limit());
    var response = HttpResponse.ok(new Offers(items.stream().map(Offer::of).toList()));
    var read = (long) skipped + items.size();
    if (!items.isEmpty() && read < pool.itemCount()) {
      page.next(Long.toString(read)).linkTo("/v1/pools/" + pool.name() + "/catalogue", response);
    }
    return response;
  }

  @Serdeable
  @Schema(name = "Offers")
  record Offers(List<Offer> items) {}

  /// An item with its place and its price.
  @Serdeable
  @Schema(name = "Offer")
  record Offer(
      String item,
      @Nullable String section,
      @Nullable String row,
      @Nullable Integer number,
      @Nullable Double x,
      @Nullable Double y,
      long priceCents) {

    static Offer of(CatalogueItem item) {
      return new Offer(
          item.item().value(),
          item.section(),
          item.row(),
          item.number(),
          item.x(),
          item.y(),
          item.priceCents());
    }
  }
}
