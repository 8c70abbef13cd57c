package io.holdfast.bench;

import java.nio.ByteBuffer;

/// An endless row of requests, ready to be sent.
interface Requests {

  /// Puts the whole next request into `out`.
  void next(ByteBuffer out);
}
