package io.holdfast.waiting;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.TicketId;
import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.ProblemException;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import java.util.Map;

/// The routes of operators: admit tickets, and revoke the pass of one.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class AdmissionController {
  private final IdempotencyHttp idempotency;
  private final OperatorAdmissions admissions;
  private final PoolRegistry pools;

  AdmissionController(
      IdempotencyHttp idempotency, OperatorAdmissions admissions, PoolRegistry pools) {
    this.idempotency = idempotency;
    this.admissions = admissions;
    this.pools = pools;
  }

  /// The body of the request.
  @Introspected
  @Schema(name = "AdmitTickets")
  record Admit(
      @Min(1) @Max(COUNT_MAX) @Schema(description = "How many tickets to admit at most.")
          int count) {
    static final long COUNT_MAX = Admitter.ADMISSIONS_MAX;
    static final BodyReader<Admit> READER = BodyReader.of(Admit.class);
  }

  @Serdeable
  @Schema(name = "TicketsAdmitted")
  record Admitted(
      int admitted,
      @Schema(description = "Tickets that wait behind the admitted ones.") long waiting) {}

  @Serdeable
  @Schema(name = "PassRevoked")
  record Revoked(String ticket) {}

  @Operation(
      operationId = "admitTickets",
      summary = "Admit the next tickets of the waiting room, never more than what is free",
      tags = "Waiting room")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = Admit.class)))
  @ApiResponse(
      responseCode = "200",
      description = "So many tickets were admitted.",
      content = @Content(schema = @Schema(implementation = Admitted.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/pools/{pool}/admissions")
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> admit(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String pool,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.ADMIT_TICKETS.word(), List.of(pool), fields);
    var found = pools.existing(pool);
    var call = idempotency.call(caller.name(), Route.ADMIT_TICKETS, token, digest).in(found.name());
    return idempotency.answer(admissions.admit(call, found, fields));
  }

  @Operation(
      operationId = "revokePass",
      summary = "Revoke the pass of an admitted ticket of any caller",
      tags = "Waiting room")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @ApiResponse(
      responseCode = "200",
      description = "The pass is not valid any more. Holds that were placed with it stay.",
      content = @Content(schema = @Schema(implementation = Revoked.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Delete("/queue/{ticket}/pass")
  @Secured("operate")
  @ExecuteOn(TaskExecutors.BLOCKING)
  HttpResponse<?> revoke(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String ticket) {
    var token = idempotency.token(headers);
    var digest = Digest.of(Route.REVOKE_PASS.word(), List.of(ticket), Map.of());
    var id =
        TicketId.parse(ticket)
            .orElseThrow(() -> new ProblemException(OperatorAdmissions.unknownTicket()));
    var pool = pools.existing(id.pool().value());
    var call = idempotency.call(caller.name(), Route.REVOKE_PASS, token, digest).in(pool.name());
    return idempotency.answer(admissions.revoke(call, pool, id));
  }
}
