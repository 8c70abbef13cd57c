package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import java.time.Instant;
import java.util.List;

/// The state of a pinned hold in Postgres.
public sealed interface PinResolution {

  /// The hold is HELD, and this pin and all older ones can no longer sell it. Redis may take this
  /// number, which is even, and unpin the hold.
  record Unpinned(long pinNo) implements PinResolution {}

  /// The hold has ended. `items` are those of a sale.
  record Ended(HoldRecord hold, List<ItemVersion> items) implements PinResolution {
    public Ended {
      items = List.copyOf(items);
    }
  }

  /// A checkout has claimed the items. The hold stays pinned until the claim ends.
  record Claimed(Instant until) implements PinResolution {}

  /// The pool has a newer epoch, so the pin is invalid. Nothing was written.
  record EpochEnded() implements PinResolution {}
}
