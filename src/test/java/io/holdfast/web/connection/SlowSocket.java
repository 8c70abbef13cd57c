package io.holdfast.web.connection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// A client on a socket that never blocks: it sends and reads only when the test says so.
final class SlowSocket implements AutoCloseable {
  private static final int RECEIVE_BUFFER = 4_096;

  private final SocketChannel channel;
  private final StringBuilder received = new StringBuilder();
  private long receivedBytes;
  private boolean isClosedByService;

  private SlowSocket(SocketChannel channel) {
    this.channel = channel;
  }

  static SlowSocket to(URI base) {
    try {
      var channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(new InetSocketAddress(base.getHost(), base.getPort()));
      channel.configureBlocking(false);
      return new SlowSocket(channel);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Sends all of it, or less if the service has closed the connection.
  SlowSocket send(String text) {
    var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      isClosedByService = true;
    }
    return this;
  }

  /// Reads what has arrived, up to `limit` bytes, and returns whether the service has closed the
  /// connection.
  boolean readIsClosed(int limit) {
    var buffer = ByteBuffer.allocate(limit);
    try {
      for (var count = 1; count > 0 && buffer.hasRemaining(); ) {
        count = channel.read(buffer);
        isClosedByService |= count < 0;
      }
    } catch (IOException e) {
      isClosedByService = true;
    }
    receivedBytes += buffer.position();
    if (received.length() < RECEIVE_BUFFER) {
      received.append(new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8));
    }
    return isClosedByService;
  }

  boolean readIsClosed() {
    return readIsClosed(RECEIVE_BUFFER);
  }

  /// Returns whether the connection is still open after one more byte.
  boolean sendsAnotherByte() {
    return !readIsClosed() && !send("x").readIsClosed();
  }

  /// Reads, and returns whether there is a response or the service has closed the connection.
  boolean readIsAnswered() {
    return readIsClosed() || !received.isEmpty();
  }

  /// The beginning of what was read.
  String received() {
    return received.toString();
  }

  long receivedBytes() {
    return receivedBytes;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
