package io.holdfast.payment.notice;

import io.holdfast.payment.notice.NoticeReceipt.NoSuchCall;
import io.holdfast.payment.notice.NoticeReceipt.Stored;
import io.holdfast.payment.notice.NoticeReceipt.Verdict;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;

/// Receives the notices of payment providers. The route needs no API key: a notice is authenticated
/// by its signature.
@Controller("/v1/payments")
@OpenApiInfo.MayRefuse
@Secured(SecurityRule.IS_ANONYMOUS)
@ExecuteOn(TaskExecutors.BLOCKING)
final class NoticeController {
  private static final int ID_LENGTH_MAX = 128;

  private final NoticeSecrets secrets;
  private final PaymentNotices notices;

  NoticeController(NoticeSecrets secrets, PaymentNotices notices) {
    this.secrets = secrets;
    this.notices = notices;
  }

  @Operation(
      operationId = "receivePaymentNotice",
      summary = "Receive a payment provider's notice, signed as in Standard Webhooks",
      tags = "Payments")
  @ApiResponse(
      responseCode = "200",
      description = "The notice is recorded. A repeated webhook-id changes nothing.",
      content = @Content(schema = @Schema(implementation = Taken.class)))
  @ApiResponse(
      responseCode = "401",
      description = "unauthenticated: the signature is missing, wrong or older than 5 minutes.")
  @ApiResponse(
      responseCode = "404",
      description = "not-known: there is no such provider or no such call.")
  @ApiResponse(
      responseCode = "409",
      description = "notice-contradicts: an earlier notice has the opposite outcome.")
  @ApiResponse(
      responseCode = "422",
      description = "notice-differs: payment, amount or currency are not those of the call.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = NoticeSecret.ID,
      required = true,
      schema = @Schema(implementation = String.class))
  @Parameter(
      in = ParameterIn.HEADER,
      name = NoticeSecret.TIMESTAMP,
      required = true,
      schema = @Schema(implementation = String.class))
  @Parameter(
      in = ParameterIn.HEADER,
      name = NoticeSecret.SIGNATURE,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = NoticeBody.class)))
  @Post("/{provider}/notices")
  Taken take(
      @PathVariable String provider,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var secret = secrets.of(provider).orElseThrow(() -> notKnown("There is no such provider."));
    var id = headers.get(NoticeSecret.ID);
    if (id == null || id.length() > ID_LENGTH_MAX || !secret.hasSigned(body, headers)) {
      throw unsigned();
    }
    var notice = NoticeBody.read(provider, id, body);
    return switch (notices.receive(notice)) {
      case Stored(var verdict, _) -> answer(notice.callId(), verdict);
      case NoSuchCall() -> throw notKnown("No such call is recorded.");
    };
  }

  private static Taken answer(String callId, Verdict verdict) {
    return switch (verdict) {
      case COUNTS, REPEATS -> new Taken(callId);
      case DIFFERS ->
          throw refused(
              HttpStatus.UNPROCESSABLE_ENTITY,
              "notice-differs",
              "The notice does not fit the call with that callId; it is stored and changes"
                  + " nothing.");
      case CONTRADICTS ->
          throw refused(
              HttpStatus.CONFLICT,
              "notice-contradicts",
              "The opposite was reported before; this notice is stored and changes nothing.");
    };
  }

  private static ProblemException unsigned() {
    return refused(
            HttpStatus.UNAUTHORIZED,
            "unauthenticated",
            "This needs a webhook-signature by the provider's secret, not older than 5 minutes.")
        .with(HttpHeaders.WWW_AUTHENTICATE, "Signature");
  }

  private static ProblemException notKnown(String detail) {
    return refused(HttpStatus.NOT_FOUND, "not-known", detail);
  }

  private static ProblemException refused(HttpStatus status, String code, String detail) {
    return new ProblemException(Problem.refused(status, code, detail));
  }

  @Serdeable
  @Schema(name = "PaymentNoticeTaken")
  record Taken(String callId) {}
}
