package io.holdfast.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// One keep-alive connection with at most one request under way.
public final class Client {
  private static final int REQUEST_BYTES_MAX = 4 << 10;
  private static final int ANSWER_BYTES_MAX = 16 << 10;
  private static final int CONNECT_MS_MAX = 2_000;

  private final ByteBuffer out = ByteBuffer.allocateDirect(REQUEST_BYTES_MAX);
  private final ByteBuffer in = ByteBuffer.allocateDirect(ANSWER_BYTES_MAX);
  private final AnswerParser answer = new AnswerParser();
  private SocketChannel channel;
  private long sentAt;

  private Client(SocketChannel channel) {
    this.channel = channel;
  }

  public static Client connect(InetSocketAddress address, Selector selector) throws IOException {
    var client = new Client(open(address));
    client.register(selector);
    return client;
  }

  /// Replaces a connection that was lost.
  void connectAgain(InetSocketAddress address, Selector selector) throws IOException {
    channel = open(address);
    register(selector);
  }

  private static SocketChannel open(InetSocketAddress address) throws IOException {
    var channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, CONNECT_MS_MAX);
      channel.configureBlocking(false);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private void register(Selector selector) throws IOException {
    channel.register(selector, SelectionKey.OP_READ, this);
  }

  public void send(Requests requests, long now) throws IOException {
    out.clear();
    requests.next(out);
    out.flip();
    write(now);
  }

  /// Sends the bytes of the last request once more.
  void sendAgain(long now) throws IOException {
    out.rewind();
    write(now);
  }

  private void write(long now) throws IOException {
    in.clear();
    answer.reset();
    sentAt = now;
    channel.write(out);
    if (out.hasRemaining()) {
      throw new IOException("the socket did not take a whole request, though none was under way");
    }
  }

  /// Reads the available bytes and returns whether the response is complete.
  public boolean receive() throws IOException {
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

  public long sentAt() {
    return sentAt;
  }

  public int status() {
    return answer.status();
  }

  public boolean isReplay() {
    return answer.isReplay();
  }

  public String body() {
    return answer.body(in);
  }

  public void close() throws IOException {
    channel.close();
  }
}
