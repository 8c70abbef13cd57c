package io.holdfast.waiting;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldResponses;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.WaitingRoom.Order;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Shows how a raffle was drawn, so that anybody can compute it again.
@Controller("/v1/pools")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class RaffleProofController {
  static final String ALGORITHM =
      "Sort the numbers by SHA-256(seed || number), with the seed as bytes and the number as"
          + " decimal digits; the n-th of them has the n-th lowest place.";

  private final RaffleTable raffles;
  private final PoolRegistry pools;

  RaffleProofController(RaffleTable raffles, PoolRegistry pools) {
    this.raffles = raffles;
    this.pools = pools;
  }

  @Serdeable
  @JsonInclude(JsonInclude.Include.ALWAYS)
  @Schema(name = "RaffleProof")
  record Proof(
      String pool,
      String algorithm,
      @Schema(description = "SHA-256 of the seed, published before the draw.") String commitment,
      @Schema(description = "Hexadecimal; null before the draw.") @Nullable String seed,
      @Nullable String drawnAt,
      long tickets,
      List<Raffled> places) {}

  @Serdeable
  @Schema(name = "RafflePlace")
  record Raffled(long number, long place) {}

  @Operation(
      operationId = "getRaffleProof",
      summary = "Show the seed of a raffle and the places that it gave",
      tags = "Waiting room")
  @ApiResponse(
      responseCode = "200",
      description = "A page of places, in the order of numbers.",
      content = @Content(schema = @Schema(implementation = Proof.class)))
  @ApiResponse(
      responseCode = "404",
      description = "not-known: there is no such pool, or nobody has joined its raffle so far.")
  @Get("/{pool}/queue/proof")
  @Secured("hold")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> proof(
      String pool,
      @Parameter(description = "Number of places, at most 500.") @QueryValue @Nullable String limit,
      @Parameter(description = "From a Link header.") @QueryValue @Nullable String after) {
    var page = PageRequest.read(after, limit);
    var found = PoolName.isName(pool) ? pools.find(new PoolName(pool)) : Optional.<Pool>empty();
    var raffle = found.filter(RaffleProofController::hasRaffle).map(Pool::name);
    var row = raffle.flatMap(raffles::find);
    if (row.isEmpty()) {
      return HoldResponses.problem(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no raffle here so far."));
    }
    var isDrawn = row.get().drawnAt() != null;
    var places =
        raffles.places(raffle.get(), page.afterNumber(), page.limit()).stream()
            .map(place -> new Raffled(place.number(), place.place()))
            .toList();
    var response =
        HttpResponse.ok(
            new Proof(
                pool,
                ALGORITHM,
                Raffle.commitment(row.get().seed()),
                isDrawn ? HexFormat.of().formatHex(row.get().seed()) : null,
                isDrawn ? Timestamp.of(row.get().drawnAt()) : null,
                row.get().tickets(),
                places));
    if (places.size() == page.limit()) {
      page.next(Long.toString(places.getLast().number()))
          .linkTo("/v1/pools/" + pool + "/queue/proof", response);
    }
    return response;
  }

  private static boolean hasRaffle(Pool pool) {
    var room = pool.policy().waitingRoom();
    return room != null && room.order() == Order.RAFFLE;
  }
}
