package io.holdfast.idempotency;

import java.time.Instant;
import java.util.Comparator;

/// One identity under guard, for those who look for faults.
///
/// @param identity as it is compared, see `Matching`
public record GuardEntry(String identity, Instant recordedAt) {
  static final Comparator<GuardEntry> OLDEST_FIRST =
      Comparator.comparing(GuardEntry::recordedAt).thenComparing(GuardEntry::identity);
}
