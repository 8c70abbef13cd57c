package io.holdfast.testing;

import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.embedded.RedisProgram;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A Redis of one test, which can be killed, restarted, made a replica and promoted.
public final class RedisServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path folder;
  private final int port = EmbeddedServers.freePort();
  private final List<String> command = new ArrayList<>();
  private @Nullable Process process;

  private RedisServer(Path folder, List<String> settings) {
    this.folder = folder;
    command.add(RedisProgram.in(Folders.binaries()).toString());
    command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    command.addAll(List.of("--dir", folder.toString(), "--save", ""));
    command.addAll(settings);
  }

  /// Without persistence.
  public static RedisServer forgetful(Path folder) {
    return started(folder, List.of());
  }

  /// With an append-only file that is flushed before every reply.
  public static RedisServer lasting(Path folder) {
    return started(folder, List.of("--appendonly", "yes", "--appendfsync", "always"));
  }

  private static RedisServer started(Path folder, List<String> settings) {
    try {
      var server = new RedisServer(Files.createDirectories(folder), settings);
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /// Restarts on the same port and folder.
  public void start() {
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(folder.resolve("redis.log").toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Await.until(PATIENCE, this::answers);
  }

  /// Kills as `kill -9` does.
  public void kill() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  /// Makes it a replica of the server at that address and waits until it has all data.
  public void follow(String address) {
    var master = java.net.URI.create(address);
    on(redis -> redis.replicaof(master.getHost(), master.getPort()));
    Await.until(PATIENCE, () -> info("replication").contains("master_link_status:up"));
  }

  /// Waits until this replica has all data of `master`.
  public void catchUpWith(RedisServer master) {
    Await.until(PATIENCE, () -> offset(info("replication")) >= offset(master.info("replication")));
  }

  public void promote() {
    on(RedisCommands::replicaofNoOne);
  }

  public String info(String section) {
    return on(redis -> redis.info(section));
  }

  /// Runs `work` on a new connection.
  public <T> T on(Function<RedisCommands<String, String>, T> work) {
    return RedisCall.on(uri(), work);
  }

  @Override
  public void close() {
    kill();
  }

  private boolean answers() {
    try {
      return on(RedisCommands::ping).equals("PONG");
    } catch (RedisException e) {
      return false;
    }
  }

  private static long offset(String info) {
    return info.lines()
        .filter(line -> line.startsWith("slave_repl_offset:") || line.startsWith("master_repl_"))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:", "").strip()))
        .findFirst()
        .orElseThrow();
  }
}
