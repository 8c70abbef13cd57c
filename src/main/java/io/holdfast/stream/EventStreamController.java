package io.holdfast.stream;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Routes that append to streams and read them.
@Controller("/v1/streams")
@OpenApiInfo.MayRefuse
@Secured("commit")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class EventStreamController {
  private static final Pattern STREAM_ID =
      Pattern.compile(DeterministicStreamIds.ENTITY_TYPE + ":[0-9A-Za-z]{16}");

  private final StreamService streams;
  private final StreamTable table;
  private final IdempotencyHttp idempotency;

  EventStreamController(StreamService streams, StreamTable table, IdempotencyHttp idempotency) {
    this.streams = streams;
    this.table = table;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "appendToStream",
      summary = "Append events to the stream of a business key, or create it",
      tags = "Streams")
  @ApiResponse(
      responseCode = "201",
      description = "The events are appended.",
      content = @Content(schema = @Schema(implementation = StreamJson.Appended.class)))
  @ApiResponse(
      responseCode = "404",
      description = "not-known: the stream belongs to another caller.")
  @ApiResponse(
      responseCode = "409",
      description =
          "unique-constraint-violation: expectedVersion is 0 and the stream exists, of whichever"
              + " caller. version-conflict: the stream has another version.",
      content = @Content(schema = @Schema(implementation = StreamConflict.class)))
  @ApiResponse(
      responseCode = "422",
      description = "mutable-field: the value of the field can change; use a reservation.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = AppendBody.class)))
  @Post
  HttpResponse<?> append(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.APPEND_STREAM.word(), List.of(), fields);
    var call = idempotency.call(caller.name(), Route.APPEND_STREAM, token, digest);
    return idempotency.answer(streams.append(call, fields));
  }

  @Operation(
      operationId = "getStream",
      summary = "Get a stream with a page of its events",
      tags = "Streams")
  @ApiResponse(
      responseCode = "200",
      description =
          "The stream and the events after the version `after`. The Link header has the URL of the"
              + " next page.",
      content = @Content(schema = @Schema(implementation = StreamJson.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such stream.")
  @Get("/{id}")
  HttpResponse<?> find(
      @Parameter(hidden = true) Caller caller,
      @PathVariable String id,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    var stream = find(caller.name(), id);
    var events =
        table.events(stream.streamId(), page.afterNumber(), stream.version(), page.limit());
    var response = HttpResponse.ok(StreamJson.of(stream, events));
    if (!events.isEmpty() && events.getLast().version() < stream.version()) {
      page.next(Long.toString(events.getLast().version())).linkTo("/v1/streams/" + id, response);
    }
    return response;
  }

  private StreamRow find(String caller, String id) {
    return Optional.of(id)
        .filter(text -> STREAM_ID.matcher(text).matches())
        .flatMap(text -> table.find(text, caller))
        .orElseThrow(() -> new ProblemException(StreamService.notKnown()));
  }
}
