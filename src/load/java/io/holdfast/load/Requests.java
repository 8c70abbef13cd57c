package io.holdfast.load;

import java.nio.ByteBuffer;

/// An endless sequence of requests.
public interface Requests {

  /// Puts the whole next request into `out`.
  void next(ByteBuffer out);
}
