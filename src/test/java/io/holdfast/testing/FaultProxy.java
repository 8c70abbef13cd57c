package io.holdfast.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A TCP proxy in front of a server that can inject faults. A fault applies at once to all
/// connections, old and new, and ends with `heal`.
public final class FaultProxy implements AutoCloseable {
  private static final int NONE = -1;

  private static final int CHUNK = 16 << 10;

  /// Postgres' reply; the request may have the number of a prepared statement instead.
  private static final String COMMITTED = "COMMIT\0";

  private volatile InetSocketAddress target;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = Fault.NONE;
  private volatile Duration delay = Duration.ZERO;
  private volatile @Nullable Awaited awaited;
  private final AtomicInteger connections = new AtomicInteger();
  private volatile int forgottenBefore;
  private volatile int unanswered = NONE;
  private volatile boolean cutsAfterReply;
  private volatile @Nullable String written;
  private volatile int committing = NONE;

  private enum Fault {
    NONE,
    /// Connections are reset, new ones too.
    CUT,
    /// No bytes pass and no connection is closed, as with a host that vanished.
    HALF_OPEN,
    /// Requests arrive; the next reply is dropped and its connection cut. Then the fault ends.
    DROP_REPLY
  }

  private record Awaited(String text, boolean arrives) {}

  private FaultProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("fault-proxy").start(this::accept);
  }

  public static FaultProxy before(String host, int port) {
    try {
      return new FaultProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Opens a proxy for the server of a `scheme://host:port/…` address, with or without `jdbc:`.
  public static FaultProxy before(String address) {
    var uri = URI.create(address.replaceFirst("^jdbc:", ""));
    return before(uri.getHost(), uri.getPort());
  }

  /// The same address with the port of this proxy.
  public String insteadOf(String address) {
    var uri = URI.create(address.replaceFirst("^jdbc:", ""));
    return address.replace(
        uri.getHost() + ":" + uri.getPort(),
        door.getInetAddress().getHostAddress() + ":" + door.getLocalPort());
  }

  public void cut() {
    fault = Fault.CUT;
    sockets.forEach(FaultProxy::reset);
  }

  public void halfOpen() {
    fault = Fault.HALF_OPEN;
  }

  public void dropReply() {
    fault = Fault.DROP_REPLY;
  }

  /// The next request that contains `text` arrives, but its reply is dropped as by `dropReply`.
  public void dropReplyTo(String text) {
    awaited = new Awaited(text, true);
  }

  /// The next request that contains `text` arrives and is carried out, but from its reply on the
  /// server cannot be reached.
  public void cutAtReplyTo(String text) {
    cutsAfterReply = true;
    dropReplyTo(text);
  }

  /// The next request that contains `text` does not arrive; its connection is cut instead.
  public void cutAt(String text) {
    awaited = new Awaited(text, false);
  }

  /// The next transaction with a statement that contains `text` is committed, and its client is
  /// told so. From then on the server cannot be reached.
  public void cutAfterCommitOf(String text) {
    written = text;
  }

  /// Whether the awaited fault has occurred. A reply has to arrive before it can be dropped, so the
  /// server has carried out the request by then.
  public boolean isStruck() {
    return awaited == null && unanswered == NONE && written == null && committing == NONE;
  }

  /// Forwards to another server from now on, as after a failover. Existing connections are reset.
  public void leadTo(String address) {
    var uri = URI.create(address.replaceFirst("^jdbc:", ""));
    target = new InetSocketAddress(uri.getHost(), uri.getPort());
    sockets.forEach(FaultProxy::reset);
  }

  /// The number of connections so far.
  public int connections() {
    return connections.get();
  }

  /// Silences the open connections permanently; new ones work. This happens when a host vanishes
  /// and another one takes its address.
  public void forget() {
    forgottenBefore = connections.get();
  }

  /// Delays every reply.
  public void delay(Duration more) {
    delay = more;
  }

  /// Ends the fault and resets the connections that it stalled, as a restarted router does.
  public void heal() {
    var stalled = fault == Fault.HALF_OPEN;
    fault = Fault.NONE;
    delay = Duration.ZERO;
    if (stalled) {
      sockets.forEach(FaultProxy::reset);
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(FaultProxy::reset);
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        var client = door.accept();
        Thread.startVirtualThread(() -> connect(client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void connect(Socket client) {
    sockets.add(client);
    if (fault == Fault.CUT) {
      reset(client);
      return;
    }
    try {
      var present = target;
      var server = new Socket(present.getAddress(), present.getPort());
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      sockets.add(server);
      var number = connections.getAndIncrement();
      Thread.startVirtualThread(() -> pump(number, client, server, false));
      Thread.startVirtualThread(() -> pump(number, server, client, true));
    } catch (IOException e) {
      reset(client);
    }
  }

  private void pump(int number, Socket from, Socket to, boolean isReply) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      var buffer = new byte[CHUNK];
      int length;
      while ((length = in.read(buffer)) >= 0) {
        if (!passes(number, isReply) || (!isReply && isStopped(number, buffer, length))) {
          break;
        }
        if (isReply && number == committing && text(buffer, length).contains(COMMITTED)) {
          committing = NONE;
          fault = Fault.CUT; // a reset could destroy this reply before it is read
        }
        out.write(buffer, 0, length);
      }
    } catch (IOException e) {
      // One side is closed; the other one is closed below.
    } finally {
      reset(from);
      reset(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  /// Returns whether the bytes are forwarded. Waits while the connection is silent.
  private boolean passes(int number, boolean isReply) {
    while ((fault == Fault.HALF_OPEN || number < forgottenBefore) && !door.isClosed()) {
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
    }
    if (isReply && !delay.isZero()) {
      LockSupport.parkNanos(delay.toNanos());
    }
    if (isReply && fault == Fault.DROP_REPLY) {
      fault = Fault.NONE; // once: a new connection works
      return false;
    }
    if (isReply && number == unanswered) {
      if (cutsAfterReply) {
        cutsAfterReply = false;
        cut();
      }
      unanswered = NONE;
      return false;
    }
    return fault != Fault.CUT;
  }

  private synchronized boolean isStopped(int number, byte[] request, int length) {
    var waiting = awaited;
    var text = text(request, length);
    if (written != null && text.contains(written)) {
      committing = number;
      written = null;
    }
    if (waiting == null || !text.contains(waiting.text)) {
      return false;
    }
    if (waiting.arrives) {
      unanswered = number; // only this reply is dropped
    }
    awaited = null;
    return !waiting.arrives;
  }

  private static String text(byte[] bytes, int length) {
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // already closed
    }
  }
}
