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

/// The servers whose addresses are not configured, run as child processes. Their addresses are
/// known before they are launched. They start in parallel in the background, each on the port of
/// its last run if that is free.
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
  private final List<ServerProcess> added = new ArrayList<>();
  private final List<ServerProcess> launched = new ArrayList<>();
  private final List<CompletableFuture<Void>> starts = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();

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

  /// Returns the address at once. `launch` starts the server.
  public String addRedis() {
    var port = port(EmbeddedRedis.PRODUCT, EmbeddedRedis.identity(home));
    var server = new EmbeddedRedis(home, binaries, port);
    redis = add(EmbeddedRedis.PRODUCT, server::prepare);
    return server.uri();
  }

  /// Returns the address, credentials included, at once. `launch` starts the server.
  public String addPostgres() {
    var privileges = PrivilegeDrop.choose();
    var port = port(EmbeddedPostgres.PRODUCT, EmbeddedPostgres.identity(home, privileges));
    var server = new EmbeddedPostgres(home, binaries, port, privileges);
    postgres = add(EmbeddedPostgres.PRODUCT, server::prepare);
    return server.url();
  }

  /// Starts the added servers; `awaitReady` waits until they can be used.
  public synchronized void launch() {
    if (isClosed) {
      throw new StartFailure("The start was stopped.");
    }
    for (var process : added) {
      starts.add(CompletableFuture.runAsync(process::start, BACKGROUND));
      launched.add(process);
    }
    added.clear();
  }

  /// From now on `action` runs after the restart of a server, which then has another pid.
  public void onRestart(Runnable action) {
    onRestart = action;
  }

  /// Whether none was added.
  public synchronized boolean isEmpty() {
    return added.isEmpty() && launched.isEmpty();
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
    USED_PORTS.removeAll(ports);
  }

  private synchronized ServerProcess add(String name, Supplier<ServerSpec> prepare) {
    var process = new ServerProcess(name, prepare, () -> onRestart.run(), onGiveUp);
    added.add(process);
    return process;
  }

  /// The port of the last run, so that tools keep their addresses; another one only if a program
  /// that is not the server of this folder listens there. A server that an earlier run left behind
  /// is ended by the launch.
  private int port(String name, ServerIdentity identity) {
    var last = identity.lastPort();
    if (last.isPresent() && USED_PORTS.add(last.getAsInt())) {
      ports.add(last.getAsInt());
      if (isFree(last.getAsInt()) || ServerRun.orphan(identity).isPresent()) {
        return last.getAsInt();
      }
    }
    var port = freePort();
    ports.add(port);
    last.ifPresent(
        used ->
            LOG.warn(
                "Port {}, on which {} listened last time, is in use by another program; it listens"
                    + " on port {} from now on",
                used,
                name,
                port));
    identity.keepPort(port);
    return port;
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
