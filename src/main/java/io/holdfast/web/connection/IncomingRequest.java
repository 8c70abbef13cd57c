package io.holdfast.web.connection;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;

/// The request that a client is sending: which part of it is incomplete, and for how long the
/// service has waited for that part. Time during which the service does not read is left out.
final class IncomingRequest {
  /// The largest body of any route; more bytes than that extend the body's time no further.
  private static final long BODY_MAX = 16 << 20;

  private static final long NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NOT_PAUSED = Long.MIN_VALUE;

  private final ConnectionSettings settings;
  private Part part = Part.NONE;
  private boolean hasReadMessage;
  private boolean isTimed;
  private long since;
  private long pausedAt = NOT_PAUSED;
  private long bodyBytes;

  enum Part {
    NONE,
    HEADER,
    BODY
  }

  IncomingRequest(ConnectionSettings settings) {
    this.settings = settings;
  }

  Part incomplete() {
    return part;
  }

  void header(HttpRequest request) {
    hasReadMessage = true;
    // the codec reads nothing more after a failure
    part = request.decoderResult().isFailure() ? Part.NONE : Part.BODY;
    isTimed = false;
    bodyBytes = 0;
  }

  void body(HttpContent content) {
    hasReadMessage = true;
    bodyBytes += content.content().readableBytes();
    if (content instanceof LastHttpContent) {
      part = Part.NONE;
    }
  }

  /// The socket has no more bytes. Bytes that the codec made no message of begin a header.
  void endRead() {
    if (!hasReadMessage && part == Part.NONE) {
      part = Part.HEADER;
      isTimed = false;
    }
    hasReadMessage = false;
  }

  /// Returns whether this is the first pause since the part began.
  boolean pause(long now) {
    pausedAt = now;
    if (isTimed) {
      return false;
    }
    isTimed = true;
    since = now;
    return true;
  }

  boolean isPaused() {
    return pausedAt != NOT_PAUSED;
  }

  void resume(long now) {
    since += now - pausedAt;
    pausedAt = NOT_PAUSED;
  }

  /// When the incomplete part has to be complete.
  long deadline(long now) {
    return (isPaused() ? now : since) + limit();
  }

  private long limit() {
    return part == Part.HEADER
        ? settings.headerTimeout().toNanos()
        : settings.bodyTimeout().toNanos()
            + Math.min(bodyBytes, BODY_MAX) * NANOS / settings.transferRate();
  }
}
