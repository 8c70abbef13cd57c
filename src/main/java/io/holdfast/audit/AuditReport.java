package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

/// The findings of all checks with their queries, and the settings that a reader needs.
@Serdeable
public record AuditReport(boolean ok, List<Finding> checks, Configuration configuration) {

  static AuditReport of(List<Finding> findings, Configuration configuration) {
    var isClean = findings.stream().allMatch(finding -> finding.violations() == 0);
    return new AuditReport(isClean, findings, configuration);
  }

  /// As text: one line per check, and the query of each check that found violations.
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
    return text.append(ok ? "Nothing was found.%n".formatted() : "").toString();
  }

  /// @param idempotencyWindowSeconds the default; each pool has its own in its policy
  /// @param tokenMaxLength in bytes
  /// @param digestFunction stored with every digest
  @Serdeable
  public record Configuration(
      long idempotencyWindowSeconds,
      int tokenMaxLength,
      String tokenFormat,
      String digestFunction,
      String digestDescription) {}
}
