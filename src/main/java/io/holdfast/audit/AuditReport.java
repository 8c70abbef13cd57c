package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The findings of all audit checks with their queries, and the settings that bear on them.
@Serdeable
public record AuditReport(boolean ok, List<Finding> checks, Configuration configuration) {

  static AuditReport of(List<Finding> findings, Configuration configuration) {
    var isClean = findings.stream().allMatch(finding -> finding.violations() == 0);
    return new AuditReport(isClean, findings, configuration);
  }

  /// A text table: one line for each check. Checks with violations are marked and show their query.
  public String table() {
    var text =
        new StringBuilder("       %-12s %13s %12s%n".formatted("", "examined", "violations"));
    for (var check : checks) {
      var mark = check.violations() == 0 ? "ok" : "BROKEN";
      text.append(
          "%-7s%-12s %13d %12d  %s%n"
              .formatted(
                  mark, check.id(), check.examined(), check.violations(), check.statement()));
      if (check.violations() > 0) {
        text.append(check.sql().indent(8));
      }
    }
    if (configuration.recordsSince() != null) {
      text.append(
          "Older records than %s were dropped: the journal, and holds without a sale, attempts and"
              .formatted(configuration.recordsSince()));
      text.append(" events that nothing needs. Nothing is proven of them.%n".formatted());
    }
    return text.append(ok ? "Nothing was found.%n".formatted() : "").toString();
  }

  /// @param idempotencyWindowSeconds of routes without a pool
  /// @param holdWindowSeconds the default for holds; a pool's policy may have its own
  /// @param commitWindowSeconds the same for confirms and checkouts
  /// @param tokenMaxLength the largest idempotency key, in bytes
  /// @param digestFunction the digest function and the rendering of answers, stored with each token
  /// @param journalKeepSeconds how long records are kept that nothing needs any more
  /// @param recordsSince the begin of the journal, and of the ended holds, attempts and events that
  ///   nothing needs; null if none of them was ever dropped
  @Serdeable
  @Schema(name = "AuditConfiguration")
  public record Configuration(
      long idempotencyWindowSeconds,
      long holdWindowSeconds,
      long commitWindowSeconds,
      int tokenMaxLength,
      String tokenFormat,
      String digestFunction,
      String digestDescription,
      long journalKeepSeconds,
      @Nullable String recordsSince) {}
}
