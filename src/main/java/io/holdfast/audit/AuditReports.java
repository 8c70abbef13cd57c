package io.holdfast.audit;

import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.retention.RetentionSettings;
import io.micronaut.context.BeanProvider;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// Creates audit reports: the findings, and the settings that a reader needs.
@Singleton
public final class AuditReports {
  private static final String TOKEN_FORMAT =
      "opaque bytes without control characters, compared byte by byte";
  private static final String DIGEST =
      "SHA-256 over type tags, lengths and bytes of the action, the path and the body, members"
          + " sorted by name, nulls and attemptId left out";

  private static final PoolPolicy POOL = PoolPolicy.of(PoolKind.SEATS);

  private final Auditor auditor;
  private final BeanProvider<AuditContributor> contributors;
  private final RequestSettings settings;
  private final RetentionSettings retention;

  AuditReports(
      Auditor auditor,
      BeanProvider<AuditContributor> contributors,
      RequestSettings settings,
      RetentionSettings retention) {
    this.auditor = auditor;
    this.contributors = contributors;
    this.settings = settings;
    this.retention = retention;
  }

  /// Includes the findings of this instance's contributors.
  ///
  /// @throws PostgresUnavailable if the records cannot be read
  AuditReport create() {
    var findings = new ArrayList<>(auditor.runQueries());
    contributors.forEach(contributor -> findings.add(contributor.finding()));
    return withSettings(findings);
  }

  /// Only from the records in Postgres, for the command line.
  ///
  /// @throws PostgresUnavailable if the records cannot be read
  public AuditReport createFromRecords() {
    return withSettings(auditor.runQueries());
  }

  private AuditReport withSettings(List<Finding> findings) {
    return AuditReport.of(
        findings,
        new AuditReport.Configuration(
            settings.idempotencyWindow().toSeconds(),
            POOL.idempotencyWindow().toSeconds(),
            POOL.commitWindow().toSeconds(),
            settings.tokenMaxLength(),
            TOKEN_FORMAT,
            settings.entryVersion().id(),
            DIGEST,
            retention.journalKeep().toSeconds(),
            auditor.recordsSince()));
  }
}
