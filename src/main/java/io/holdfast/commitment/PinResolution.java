package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import java.time.Instant;
import java.util.List;

/// How a pinned hold really stands.
public sealed interface PinResolution {

  /// It is HELD, and this pin and all older ones can no longer sell it: Redis may take this number,
  /// which is even, and treat the hold as plain again.
  record Unpinned(long pinNo) implements PinResolution {}

  /// It has ended, and these are its items if it was sold.
  record Ended(HoldRecord hold, List<ItemVersion> items) implements PinResolution {
    public Ended {
      items = List.copyOf(items);
    }
  }

  /// A checkout has claimed its items: it stays pinned until that has ended.
  record Claimed(Instant until) implements PinResolution {}

  /// Redis has begun a new life since: the pin is none any more, and nothing was written.
  record Outlived() implements PinResolution {}
}
