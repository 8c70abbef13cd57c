package io.holdfast.seatmap;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// The ids of stream events: the number of a snapshot, which grows with every change of the pool on
/// all instances, the number of corrections that this instance has sent under it, and six digits.
///
/// The id of a whole snapshot ends with a checksum of its states. Two instances may read a lapsed
/// hold differently for a moment; with the checksum an instance accepts the id of another one only
/// if both have the same map. The id of a single change ends with the index of its item, which is
/// never taken for a whole snapshot.
///
/// @param correction 0 for the first snapshot of its number
record SnapshotEventId(SeatMapSnapshot snapshot, int correction) {
  /// More than the items that a pool can have.
  private static final int WHOLE = 500_000;

  /// The id after all changes of the snapshot.
  String whole() {
    var sum = new CRC32C();
    snapshot.states().forEach(state -> sum.update(state.ordinal()));
    sum.update(snapshot.summary().getBytes(StandardCharsets.UTF_8));
    return text(WHOLE + (int) (sum.getValue() % WHOLE));
  }

  /// The id after the changes up to this item.
  String upTo(int index) {
    return text(index);
  }

  private String text(int digits) {
    return "%d%06d%06d".formatted(snapshot.number(), correction, digits);
  }
}
