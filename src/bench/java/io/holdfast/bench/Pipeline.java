package io.holdfast.bench;

import io.holdfast.load.Requests;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/// Runs the place script without the service, over one connection on which the next batch is sent
/// before the last is answered, so that Redis never waits for us.
final class Pipeline implements AutoCloseable {
  private static final int BATCH = 64;
  private static final int COMMAND_BYTES_MAX = 4 << 10;
  private static final long LATENCY_NANOS_MAX = Duration.ofSeconds(30).toNanos();
  private static final int DIGITS = 3;
  private static final String HELD = "HELD";

  private final RedisWire wire;
  private final Requests commands;
  private final ByteBuffer buffer = ByteBuffer.allocate(BATCH * COMMAND_BYTES_MAX);
  private final Histogram latencies = new Histogram(LATENCY_NANOS_MAX, DIGITS);

  Pipeline(InetSocketAddress redis, Requests commands) {
    this.wire = new RedisWire(redis);
    this.commands = commands;
  }

  Turn run(long count) {
    var cpu = ManagementFactory.getThreadMXBean();
    var cpuAtStart = cpu.getCurrentThreadCpuTime();
    var start = System.nanoTime();
    var earlier = send(count);
    for (long left = count - earlier.size(); left > 0; ) {
      var later = send(left);
      receive(earlier);
      earlier = later;
      left -= later.size();
    }
    receive(earlier);
    var took = Duration.ofNanos(System.nanoTime() - start);
    var share = (double) (cpu.getCurrentThreadCpuTime() - cpuAtStart) / took.toNanos();
    return Turn.of(latencies, took, count, took, share);
  }

  private Batch send(long left) {
    var size = (int) Math.min(BATCH, left);
    buffer.clear();
    for (int i = 0; i < size; i++) {
      commands.next(buffer);
    }
    var batch = new Batch(size, System.nanoTime());
    wire.send(buffer.array(), buffer.position());
    return batch;
  }

  private void receive(Batch batch) {
    for (int i = 0; i < batch.size(); i++) {
      var reply = wire.read();
      if (!firstWord(reply).startsWith(HELD)) {
        throw new IllegalStateException("the place script answered " + reply);
      }
      latencies.recordValue(System.nanoTime() - batch.sentAt());
    }
  }

  /// A script that takes many calls answers with a list of outcomes.
  private static String firstWord(Object reply) {
    return reply instanceof List<?> list && !list.isEmpty()
        ? firstWord(list.getFirst())
        : String.valueOf(reply);
  }

  @Override
  public void close() {
    wire.close();
  }

  private record Batch(int size, long sentAt) {}
}
