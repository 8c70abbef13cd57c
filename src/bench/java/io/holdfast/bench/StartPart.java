package io.holdfast.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// From the start of the process to its first answer, by turns: the service, on a Redis and a
/// Postgres that run already, and a Micronaut application with a single route. Both have an AOT
/// cache of a rehearsal that went as far as a first answer.
final class StartPart {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(2);
  private static final int ROUNDS_MIN = 5;

  private final int rounds;

  StartPart(Plan plan) {
    this.rounds = Math.max(ROUNDS_MIN, plan.rounds());
  }

  /// How many times as long as the bare one the service takes, a figure for each round.
  double[] run() {
    try (var warm = ServiceProcess.start()) {
      var folder = Files.createTempDirectory("holdfast-starts");
      try {
        return run(warm, folder);
      } finally {
        ServiceProcess.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private double[] run(ServiceProcess warm, Path folder) {
    var cache = folder.resolve("bare.aot");
    rehearse(folder, cache);
    var ratios = new double[rounds];
    for (var round = 0; round < rounds; round++) {
      var bare = took(folder, Launch.bareApp("-XX:AOTCache=" + cache), Map.of());
      var ours = took(folder, Launch.command(), environment(folder, warm));
      Progress.say("start, round %d: %d ms, bare %d ms", round + 1, ours, bare);
      ratios[round] = (double) ours / bare;
    }
    return ratios;
  }

  /// As ours is rehearsed: with a first answer. The cache is written when the process ends.
  private static void rehearse(Path folder, Path cache) {
    took(folder, Launch.bareApp("-XX:AOTCacheOutput=" + cache), Map.of());
    if (!Files.exists(cache)) {
      throw new IllegalStateException("the bare application was not rehearsed");
    }
  }

  private static Map<String, String> environment(Path folder, ServiceProcess warm) {
    var environment = new HashMap<>(Launch.environment(folder));
    var redis = warm.redis();
    environment.put("REDIS_URI", "redis://%s:%d".formatted(redis.getHostString(), redis.getPort()));
    environment.put("JDBC_URL", warm.database().url());
    environment.put("HOLDFAST_ID_KEY", "1:" + Launch.KEY);
    return environment;
  }

  /// Milliseconds.
  private static long took(Path folder, List<String> command, Map<String, String> settings) {
    var port = port();
    var environment = new HashMap<>(settings);
    environment.put(settings.isEmpty() ? "MICRONAUT_SERVER_PORT" : "HOLDFAST_PORT", port);
    var since = System.nanoTime();
    var process = start(folder, command, environment);
    try {
      while (!answers(Integer.parseInt(port))) {
        if (!process.isAlive() || System.nanoTime() - since > PATIENCE.toNanos()) {
          throw new IllegalStateException(
              "no first answer: " + Files.readString(folder.resolve("output.log")));
        }
        LockSupport.parkNanos(LOOK.toNanos());
      }
      return Duration.ofNanos(System.nanoTime() - since).toMillis();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      end(process);
    }
  }

  private static boolean answers(int port) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      var request =
          "GET /v1/pools HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
              .formatted(Launch.KEY);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      var lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      var status = lines.readLine();
      return status != null && status.contains(" 200 ");
    } catch (IOException e) {
      return false; // nobody listens yet
    }
  }

  private static Process start(Path folder, List<String> command, Map<String, String> settings) {
    try {
      var builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output.log").toFile());
      builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG"));
      builder.environment().putAll(settings);
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String port() {
    try (var socket = new ServerSocket(0)) {
      return Integer.toString(socket.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
