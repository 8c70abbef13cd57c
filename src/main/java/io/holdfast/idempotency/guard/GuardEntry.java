package io.holdfast.idempotency.guard;

import java.time.Instant;
import java.util.Comparator;

/// One identity in its window.
///
/// @param identity in the form that is compared, see `Matching`
public record GuardEntry(String identity, Instant recordedAt) {
  static final Comparator<GuardEntry> OLDEST_FIRST =
      Comparator.comparing(GuardEntry::recordedAt).thenComparing(GuardEntry::identity);
}
