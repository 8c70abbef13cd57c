package io.holdfast.seatmap;

import java.util.zip.CRC32C;

/// The ids of events: the number of a picture, which grows with every change of the pool on all
/// instances, how often an instance has corrected what it told under this number, and six digits.
///
/// Whoever has all changes up to a picture has an id that also sums up what it shows. Two instances
/// may see a lapsed hold differently for a moment; with the sum, an id that one of them has given
/// is known to the other only if both mean the same map. The changes that lead to a picture have
/// the places of their items instead, which no instance takes for a whole picture.
///
/// @param correction 0 for the first picture of its number
record SnapshotEventId(SeatMapSnapshot picture, int correction) {
  /// More than the items that a pool can have.
  private static final int WHOLE = 500_000;

  /// What a listener has who has seen all of the picture.
  String whole() {
    var sum = new CRC32C();
    picture.states().forEach(state -> sum.update(state.ordinal()));
    return text(WHOLE + (int) (sum.getValue() % WHOLE));
  }

  /// What a listener has who was told of the items up to this one.
  String upTo(int place) {
    return text(place);
  }

  private String text(int digits) {
    return "%d%06d%06d".formatted(picture.number(), correction, digits);
  }
}
