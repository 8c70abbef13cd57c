package io.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The service under test: the installed program in a process of its own, with its own servers in a
/// temporary folder.
final class ServiceProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path folder;
  private final Process process;
  private final Thread hook = new Thread(this::end);
  private final String run;

  private ServiceProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(hook);
    this.run = awaitReady();
  }

  static ServiceProcess start() {
    return start(Map.of());
  }

  /// @param more settings that win over the usual ones
  static ServiceProcess start(Map<String, String> more) {
    try {
      var folder = Files.createTempDirectory("holdfast-bench");
      var builder =
          new ProcessBuilder(Launch.command())
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output.log").toFile());
      builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG"));
      builder.environment().putAll(Launch.environment(folder));
      builder.environment().putAll(more);
      return new ServiceProcess(folder, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI http() {
    return URI.create(Fields.of(run, "http"));
  }

  /// Loopback by number: the name may stand for an address that the service listens on too, but
  /// that the machine serves at another speed.
  InetSocketAddress door() {
    return new InetSocketAddress("127.0.0.1", http().getPort());
  }

  InetSocketAddress redis() {
    var uri = URI.create(Fields.of(run, "redis"));
    return new InetSocketAddress(uri.getHost(), uri.getPort());
  }

  Database database() {
    return new Database(Fields.of(run, "jdbc"));
  }

  Cpu cpu() {
    try (var wire = new RedisWire(redis())) {
      return Cpu.of(pid("pid"), pid("redisPid"), wire.mainThreadTime(), pid("postgresPid"));
    }
  }

  private long pid(String field) {
    return Long.parseLong(Fields.of(run, field));
  }

  private String awaitReady() {
    var file = folder.resolve("data/run.json");
    Waiting.until(PATIENCE, "the service is ready", () -> Files.exists(file) || !process.isAlive());
    try {
      if (!process.isAlive()) {
        throw new IllegalStateException(
            "the service ended: " + Files.readString(folder.resolve("output.log")));
      }
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /// Runs at the end of the part that started it, and when the bench is stopped.
  private void end() {
    process.destroy();
    try {
      if (process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        delete(folder);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void delete(Path folder) {
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
