package io.holdfast.audit;

/// Who knows something for the report that is not in the records.
public interface AuditContributor {
  Finding testimony();
}
