package io.holdfast.live;

import io.holdfast.hold.Picture;
import java.util.zip.CRC32C;

/// The ids of events: the number of a picture, which grows with every change of the pool on all
/// instances, and six digits.
///
/// Whoever has all changes up to a picture has an id that also sums up what it shows. Two instances
/// may see a lapsed hold differently for a moment; with the sum, an id that one of them has given
/// is known to the other only if both mean the same map. The changes that lead to a picture have
/// the places of their items instead, which no instance takes for a whole picture.
final class EventId {
  /// More than the items that a pool can have.
  private static final int WHOLE = 500_000;

  private EventId() {}

  /// What a listener has who has seen all of the picture.
  static String of(Picture picture) {
    var sum = new CRC32C();
    picture.states().forEach(state -> sum.update(state.ordinal()));
    return text(picture, WHOLE + (int) (sum.getValue() % WHOLE));
  }

  /// What a listener has who was told of the items up to this one.
  static String upTo(int place, Picture picture) {
    return text(picture, place);
  }

  private static String text(Picture picture, int digits) {
    return "%d%06d".formatted(picture.number(), digits);
  }
}
