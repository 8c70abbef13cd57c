package io.holdfast.bench;

import io.holdfast.load.Client;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A closed loop: each connection sends its next request as soon as it has a response. One thread
/// serves all connections, because a second one would take processor time from the measured
/// service.
final class Driver {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int PATIENCE_MS = 10_000;
  private static final long LATENCY_NANOS_MAX = Duration.ofSeconds(30).toNanos();
  private static final int DIGITS = 3;

  private final Load load;
  private final @Nullable Consumer<String> bodies;
  private final Tally tally;
  private final Histogram latencies = new Histogram(LATENCY_NANOS_MAX, DIGITS);
  private final List<Client> clients = new ArrayList<>();
  private long sent;
  private int underWay;
  private long countFrom;
  private long end;
  private long lastAnswerAt;

  private Driver(Load load, @Nullable Consumer<String> bodies) {
    this.load = load;
    this.bodies = bodies;
    this.tally = new Tally(load.expected());
  }

  static Turn run(InetSocketAddress address, Load load) {
    return run(address, load, null);
  }

  /// @param bodies takes the body of every answer, which costs time: not for a turn that counts
  static Turn run(InetSocketAddress address, Load load, @Nullable Consumer<String> bodies) {
    try {
      return new Driver(load, bodies).run(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Turn run(InetSocketAddress address) throws IOException {
    try (var selector = Selector.open()) {
      for (int i = 0; i < load.connections(); i++) {
        clients.add(Client.connect(address, selector));
      }
      return run(selector);
    } finally {
      for (var client : clients) {
        client.close();
      }
    }
  }

  private Turn run(Selector selector) throws IOException {
    var cpu = ManagementFactory.getThreadMXBean();
    var cpuAtStart = cpu.getCurrentThreadCpuTime();
    var start = System.nanoTime();
    countFrom = start + load.runIn().toNanos();
    end = countFrom + load.time().toNanos();
    for (var client : clients) {
      sendNext(client, start);
    }
    while (underWay > 0) {
      awaitAnswers(selector);
    }
    tally.requireNoSurprise();
    var whole = System.nanoTime() - start;
    var counted = Math.min(end, lastAnswerAt) - countFrom;
    var share = (double) (cpu.getCurrentThreadCpuTime() - cpuAtStart) / whole;
    return Turn.of(latencies, Duration.ofNanos(counted), sent, Duration.ofNanos(whole), share);
  }

  private void awaitAnswers(Selector selector) throws IOException {
    var ready = selector.select(this::receive, PATIENCE_MS);
    if (ready == 0 || System.nanoTime() > end + PATIENCE_NANOS) {
      throw new IllegalStateException(underWay + " requests were not answered in time");
    }
  }

  private void receive(SelectionKey key) {
    var client = (Client) key.attachment();
    try {
      if (client.receive()) {
        take(client);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(Client client) throws IOException {
    lastAnswerAt = System.nanoTime();
    if (lastAnswerAt >= countFrom && lastAnswerAt < end) {
      latencies.recordValue(lastAnswerAt - client.sentAt());
    }
    tally.count(client.status(), client.isReplay(), client::body);
    if (bodies != null) {
      bodies.accept(client.body());
    }
    underWay--;
    sendNext(client, lastAnswerAt);
  }

  private void sendNext(Client client, long now) throws IOException {
    if (sent < load.countMax() && now < end) {
      client.send(load.requests(), now);
      sent++;
      underWay++;
    }
  }
}
