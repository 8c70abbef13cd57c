package io.holdfast.events;

import io.holdfast.catalogue.Catalogue;
import io.holdfast.events.schema.Schema;
import io.holdfast.events.schema.SemVer;
import io.holdfast.pool.PoolName;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Routes that read events and the published schemas.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@ExecuteOn(TaskExecutors.BLOCKING)
final class EventController {
  private static final String BATCH = "application/cloudevents-batch+json";
  private static final String SCHEMA = "application/schema+json";

  private final EventReader events;
  private final Catalogue pools;
  private final CloudEventJson json;

  EventController(EventReader events, Catalogue pools, CloudEventJson json) {
    this.events = events;
    this.pools = pools;
    this.json = json;
  }

  @Operation(
      operationId = "listEvents",
      summary = "List the events of a pool in their order, as CloudEvents",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "One page: the events after the sequence number `after`.",
      content = @Content(mediaType = BATCH))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Secured({"operate", "audit"})
  @SecurityRequirement(name = OpenApiInfo.KEY)
  @Get("/pools/{pool}/events")
  HttpResponse<?> page(
      @PathVariable String pool,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    requirePool(pool);
    var found = events.readCommitted(pool, page.afterNumber(), page.limit());
    var response = HttpResponse.ok(batch(found)).contentType(BATCH);
    if (found.size() == page.limit()) {
      var path = "/v1/pools/" + pool + "/events";
      page.next(Long.toString(found.getLast().sequence())).linkTo(path, response);
    }
    return response;
  }

  @Operation(
      operationId = "getEvent",
      summary = "Get one event with its full content",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The event as a CloudEvent.",
      content = @Content(mediaType = CloudEventJson.MEDIA_TYPE))
  @ApiResponse(responseCode = "404", description = "not-known: the pool has no such event")
  @Secured({"operate", "audit"})
  @SecurityRequirement(name = OpenApiInfo.KEY)
  @Get("/pools/{pool}/events/{sequence}")
  HttpResponse<?> find(@PathVariable String pool, @PathVariable String sequence) {
    requirePool(pool);
    var number = number(sequence);
    return events.readCommitted(pool, number - 1, 1).stream()
        .filter(event -> event.sequence() == number)
        .findFirst()
        .map(event -> HttpResponse.ok(json.full(event)).contentType(CloudEventJson.MEDIA_TYPE))
        .orElseThrow(() -> notKnown("event"));
  }

  @Operation(
      operationId = "getEventSchema",
      summary = "Get the JSON Schema of an event type",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The JSON Schema of this version.",
      content = @Content(mediaType = SCHEMA))
  @ApiResponse(responseCode = "404", description = "not-known: there is no such schema.")
  @Secured(SecurityRule.IS_ANONYMOUS)
  @Get("/event-types/{type}/{version}")
  @Produces(SCHEMA)
  byte[] schema(@PathVariable String type, @PathVariable String version) {
    try {
      return EventType.of(type)
          .flatMap(known -> Schema.text(known, SemVer.parse(version)))
          .orElseThrow(() -> notKnown("schema"));
    } catch (IllegalArgumentException e) {
      throw notKnown("schema");
    }
  }

  private byte[] batch(List<StoredEvent> found) {
    var out = new ByteArrayOutputStream();
    out.write('[');
    for (var event : found) {
      if (out.size() > 1) {
        out.write(',');
      }
      out.writeBytes(json.full(event));
    }
    out.write(']');
    return out.toByteArray();
  }

  /// Text that is not a number becomes 0, which no event has.
  private static long number(String sequence) {
    try {
      return Math.max(0, Long.parseLong(sequence));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private void requirePool(String pool) {
    if (!PoolName.isName(pool) || pools.find(new PoolName(pool)).isEmpty()) {
      throw notKnown("pool");
    }
  }

  private static ProblemException notKnown(String what) {
    return new ProblemException(
        Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such " + what + "."));
  }
}
