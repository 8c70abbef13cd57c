package io.holdfast.load;

import java.nio.ByteBuffer;

/// An endless row of requests, ready to be sent.
public interface Requests {

  /// Puts the whole next request into `out`.
  void next(ByteBuffer out);
}
