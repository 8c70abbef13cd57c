package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

/// The auditor's word, with the queries behind it, and what a reader has to know of the settings.
@Serdeable
record Report(boolean ok, List<Finding> checks, Configuration configuration) {

  static Report of(List<Finding> findings, Configuration configuration) {
    var isClean = findings.stream().allMatch(finding -> finding.violations() == 0);
    return new Report(isClean, findings, configuration);
  }

  /// @param idempotencyWindowSeconds by default; each pool's own is in its policy
  /// @param tokenMaxLength in bytes
  /// @param digestFunction stored with every digest
  @Serdeable
  record Configuration(
      long idempotencyWindowSeconds,
      int tokenMaxLength,
      String tokenFormat,
      String digestFunction,
      String digestDescription) {}
}
