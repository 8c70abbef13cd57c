package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The servers whose addresses are not configured, run as child processes. They start in parallel
/// in the background, and their addresses are known before they are ready.
public final class EmbeddedServers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedServers.class);
  private static final Executor BACKGROUND = Thread::startVirtualThread;
  private static final int LOWEST_PORT = 20_000;
  private static final int HIGHEST_PORT = 30_000;
  private static final int PORT_TRIES_MAX = 1_000;
  private static final Set<Integer> USED_PORTS = ConcurrentHashMap.newKeySet();

  private final DataFolder home;
  private final Path binaries;
  private final Consumer<String> onGiveUp;
  private final List<CompletableFuture<Void>> starts = new ArrayList<>();

  private final List<ServerProcess> launched = new ArrayList<>();

  private volatile Runnable onRestart = () -> {};
  private boolean isClosed;
  private @Nullable ServerProcess redis;
  private @Nullable ServerProcess postgres;

  /// @param binaries where the servers are unpacked to; several data folders may share it
  /// @param onGiveUp gets the reason when a server keeps crashing
  public EmbeddedServers(DataFolder home, Path binaries, Consumer<String> onGiveUp) {
    this.home = home;
    this.binaries = binaries.toAbsolutePath().normalize();
    this.onGiveUp = onGiveUp;
  }

  /// Returns the address at once; `awaitReady` waits until it can be used.
  public String launchRedis() {
    var server = new EmbeddedRedis(home, binaries, freePort());
    redis = launch(EmbeddedRedis.PRODUCT, server::prepare);
    return server.uri();
  }

  /// Returns the address, credentials included, at once.
  public String launchPostgres() {
    var server = new EmbeddedPostgres(home, binaries, freePort(), PrivilegeDrop.choose());
    postgres = launch(EmbeddedPostgres.PRODUCT, server::prepare);
    return server.url();
  }

  /// From now on `action` runs after the restart of a server, which then has another pid.
  public void onRestart(Runnable action) {
    onRestart = action;
  }

  /// Whether none was launched.
  public boolean isEmpty() {
    return starts.isEmpty();
  }

  /// Returns when all launched servers accept commands, or fails with the first `StartFailure`.
  public void awaitReady() {
    try {
      CompletableFuture.allOf(starts.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  public OptionalLong redisPid() {
    return redis == null ? OptionalLong.empty() : OptionalLong.of(redis.pid());
  }

  public OptionalLong postgresPid() {
    return postgres == null ? OptionalLong.empty() : OptionalLong.of(postgres.pid());
  }

  /// Stops the servers in parallel, so that one that hangs does not delay the other.
  @Override
  public void close() {
    List<ServerProcess> running;
    synchronized (this) {
      isClosed = true;
      running = List.copyOf(launched);
    }
    CompletableFuture.allOf(
            running.stream()
                .map(process -> CompletableFuture.runAsync(process::close, BACKGROUND))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  private synchronized ServerProcess launch(String name, Supplier<ServerSpec> prepare) {
    if (isClosed) {
      throw new StartFailure("The start was stopped.");
    }
    var process = new ServerProcess(name, prepare, () -> onRestart.run(), onGiveUp);
    starts.add(
        CompletableFuture.runAsync(
            () -> {
              LOG.info("Starting {}", name);
              process.start();
            },
            BACKGROUND));
    launched.add(process);
    return process;
  }

  /// A free port below the range of outgoing connections, one of which could otherwise take it
  /// before the server does. No port is returned twice, so servers that start in parallel get
  /// different ones.
  public static int freePort() {
    return ThreadLocalRandom.current()
        .ints(PORT_TRIES_MAX, LOWEST_PORT, HIGHEST_PORT)
        .filter(port -> isFree(port) && USED_PORTS.add(port))
        .findFirst()
        .orElseThrow(() -> new StartFailure("There is no free port on this machine."));
  }

  private static boolean isFree(int port) {
    try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
