package io.holdfast.audit;

/// Adds a check to the report that is not a query over the records.
public interface AuditContributor {
  Finding finding();
}
