package io.holdfast.audit;

import io.holdfast.idempotency.Digest;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.web.Api;
import io.holdfast.web.RequestSettings;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.sql.SQLException;

/// What an auditor may ask.
@Controller("/v1/audit")
@Secured("audit")
@SecurityRequirement(name = Api.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class AuditController {
  private static final String TOKEN_FORMAT =
      "opaque bytes without control characters, compared byte by byte";
  private static final String DIGEST =
      "SHA-256 over type tags, lengths and bytes of the action, the path and the body, members"
          + " sorted by name, nulls and attemptId left out";

  private final Auditor auditor;
  private final RequestSettings settings;

  AuditController(Auditor auditor, RequestSettings settings) {
    this.auditor = auditor;
    this.settings = settings;
  }

  @Operation(summary = "Whether the records keep the promises, check by check", tags = "Audit")
  @Get("/report")
  Report report() {
    try {
      return Report.of(auditor.examine(), configuration());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private Report.Configuration configuration() {
    return new Report.Configuration(
        settings.idempotencyWindow().toSeconds(),
        settings.tokenMaxLength(),
        TOKEN_FORMAT,
        Digest.FUNCTION,
        DIGEST);
  }
}
