package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

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
    return text.append(ok ? "Nothing was found.%n".formatted() : "").toString();
  }

  /// @param idempotencyWindowSeconds the default; a pool's policy may have its own
  /// @param tokenMaxLength the largest idempotency key, in bytes
  /// @param digestFunction the hash function of request digests, which is stored with each of them
  @Serdeable
  @Schema(name = "AuditConfiguration")
  public record Configuration(
      long idempotencyWindowSeconds,
      int tokenMaxLength,
      String tokenFormat,
      String digestFunction,
      String digestDescription) {}
}
