package io.holdfast.hold;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a call is to look at.
///
/// @param given seats it should get, to which nobody else is sent until it has ended
record Offer(List<Part> parts, @Nullable Part given) {
  static final Offer NONE = new Offer(List.of(), null);

  /// Parts that are looked at for all to see what is there.
  static Offer of(List<Part> parts) {
    return new Offer(parts, null);
  }
}
