package io.holdfast.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// One keep-alive connection with at most one request under way.
final class Client {
  private static final int REQUEST_BYTES_MAX = 4 << 10;
  private static final int ANSWER_BYTES_MAX = 16 << 10;

  private final ByteBuffer out = ByteBuffer.allocateDirect(REQUEST_BYTES_MAX);
  private final ByteBuffer in = ByteBuffer.allocateDirect(ANSWER_BYTES_MAX);
  private final AnswerParser answer = new AnswerParser();
  private final SocketChannel channel;
  private long sentAt;

  private Client(SocketChannel channel) {
    this.channel = channel;
  }

  static Client connect(InetSocketAddress address, Selector selector) throws IOException {
    var channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    var client = new Client(channel);
    channel.register(selector, SelectionKey.OP_READ, client);
    return client;
  }

  void send(Requests requests, long now) throws IOException {
    out.clear();
    requests.next(out);
    out.flip();
    in.clear();
    answer.reset();
    sentAt = now;
    channel.write(out);
    if (out.hasRemaining()) {
      throw new IOException("the socket did not take a whole request, though none was under way");
    }
  }

  /// Takes what has come, and tells whether the answer is whole by now.
  boolean receive() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("the service closed a connection under load");
    }
    if (answer.isWhole(in)) {
      return true;
    }
    if (!in.hasRemaining()) {
      throw new IOException("an answer of more than " + ANSWER_BYTES_MAX + " bytes");
    }
    return false;
  }

  long sentAt() {
    return sentAt;
  }

  int status() {
    return answer.status();
  }

  boolean isReplay() {
    return answer.isReplay();
  }

  String body() {
    return answer.body(in);
  }

  void close() throws IOException {
    channel.close();
  }
}
