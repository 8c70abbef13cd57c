package io.holdfast.events.privacy;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
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

/// Routes for the persons that holds and events are about.
@Controller("/v1/subjects")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class SubjectController {
  private final Shredder shredder;
  private final IdempotencyHttp idempotency;

  SubjectController(Shredder shredder, IdempotencyHttp idempotency) {
    this.shredder = shredder;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "shredSubject",
      summary = "Make all personal data of a requester unreadable permanently",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "A report of what became unreadable.",
      content = @Content(schema = @Schema(implementation = Shredder.Report.class)))
  @ApiResponse(
      responseCode = "404",
      description = "not-known: there are no data of this requester.")
  @ApiResponse(
      responseCode = "409",
      description = "subject-active: the requester has live holds, tickets or checkouts.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ShredBody.class)))
  @Post("/{id}/shred")
  HttpResponse<?> shred(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.SHRED_SUBJECT.word(), List.of(id), fields);
    var call = idempotency.call(caller.name(), Route.SHRED_SUBJECT, token, digest);
    return idempotency.answer(shredder.shred(call, id, fields), Shredder.naming(id));
  }
}
