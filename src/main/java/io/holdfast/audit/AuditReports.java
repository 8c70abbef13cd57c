package io.holdfast.audit;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.RequestSettings;
import io.micronaut.context.BeanProvider;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// Makes reports: what the auditor finds, with the settings that a reader has to know.
@Singleton
public final class AuditReports {
  private static final String TOKEN_FORMAT =
      "opaque bytes without control characters, compared byte by byte";
  private static final String DIGEST =
      "SHA-256 over type tags, lengths and bytes of the action, the path and the body, members"
          + " sorted by name, nulls and attemptId left out";

  private final Auditor auditor;
  private final BeanProvider<AuditContributor> witnesses;
  private final RequestSettings settings;

  AuditReports(
      Auditor auditor, BeanProvider<AuditContributor> witnesses, RequestSettings settings) {
    this.auditor = auditor;
    this.witnesses = witnesses;
    this.settings = settings;
  }

  /// With what others in this process know besides the records. Fails with `PostgresUnavailable` if
  /// the records cannot be read.
  AuditReport make() {
    var findings = new ArrayList<>(auditor.examine());
    witnesses.forEach(witness -> findings.add(witness.testimony()));
    return of(findings);
  }

  /// For who has nothing but the records. Fails likewise.
  public AuditReport ofTheRecordsAlone() {
    return of(auditor.examine());
  }

  private AuditReport of(List<Finding> findings) {
    return AuditReport.of(
        findings,
        new AuditReport.Configuration(
            settings.idempotencyWindow().toSeconds(),
            settings.tokenMaxLength(),
            TOKEN_FORMAT,
            Digest.FUNCTION,
            DIGEST));
  }
}
