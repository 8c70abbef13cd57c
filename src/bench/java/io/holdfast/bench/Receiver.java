package io.holdfast.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// A webhook receiver on this machine. It accepts and counts all events, if configured after a
/// delay.
final class Receiver implements AutoCloseable {
  private static final int NO_CONTENT = 204;
  private static final int NO_BODY = -1;

  private final HttpServer server;
  private final Duration pause;
  private final AtomicLong count = new AtomicLong();

  private Receiver(HttpServer server, Duration pause) {
    this.server = server;
    this.pause = pause;
  }

  static Receiver taking(Duration pause) {
    try {
      var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      var receiver = new Receiver(server, pause);
      server.createContext("/", receiver::take);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return receiver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  long count() {
    return count.get();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void take(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    if (!pause.isZero()) {
      LockSupport.parkNanos(pause.toNanos());
    }
    exchange.sendResponseHeaders(NO_CONTENT, NO_BODY);
    exchange.close();
    count.incrementAndGet();
  }
}
