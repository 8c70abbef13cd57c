package io.holdfast.web.connection;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/// The bytes of responses that the socket has not taken. Measured while there are so many that
/// Netty calls the channel not writable.
final class WriteBacklog {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ConnectionSettings settings;
  private long bytes;
  private long measuredAt;

  WriteBacklog(ConnectionSettings settings) {
    this.settings = settings;
  }

  void measure(Channel channel, long now) {
    var buffer = channel.unsafe().outboundBuffer();
    bytes = buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    measuredAt = now;
  }

  /// When the client has to have taken enough since the last measurement.
  long deadline() {
    return measuredAt + settings.writeTimeout().toNanos();
  }

  /// Measures again, and returns whether the client has taken enough since the last time.
  boolean hasShrunk(Channel channel, long now) {
    var before = bytes;
    var seconds = (now - measuredAt) / NANOS;
    measure(channel, now);
    return before - bytes >= settings.transferRate() * seconds;
  }
}
