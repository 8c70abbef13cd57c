package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps one server running. After a crash it starts the server again on the same data and the same
/// port, so that clients can reconnect. It gives up on a server that keeps crashing and reports it.
final class ServerProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);
  private static final int STARTS_MAX = 8;
  private static final long FIRST_PAUSE_MS = 100;
  private static final int CRASHES_MAX = 5;
  private static final long CRASHES_WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String name;
  private final Supplier<ServerSpec> prepare;
  private final Runnable onRestart;
  private final Consumer<String> onGiveUp;
  private final Deque<Long> crashes = new ArrayDeque<>();

  private @Nullable ServerRun current;
  private volatile boolean isStopping;

  /// @param prepare is called once at the start and may take long for unpacking
  ServerProcess(
      String name, Supplier<ServerSpec> prepare, Runnable onRestart, Consumer<String> onGiveUp) {
    this.name = name;
    this.prepare = prepare;
    this.onRestart = onRestart;
    this.onGiveUp = onGiveUp;
  }

  synchronized void start() {
    LOG.info("Starting {}", name);
    var spec = prepare.get();
    ServerRun.endOrphan(spec);
    startWithRetries(spec);
  }

  synchronized long pid() {
    return current == null ? 0 : current.pid();
  }

  @Override
  public void close() {
    isStopping = true; // before the lock, so that a running start stops
    synchronized (this) {
      if (current != null) {
        current.stop();
      }
    }
  }

  /// Tries several times with growing pauses: a backend of a killed server, such as one with a
  /// running statement, keeps the shared memory until its own timeout ends it.
  private void startWithRetries(ServerSpec spec) {
    for (var attempt = 1; attempt < STARTS_MAX && !isStopping; attempt++) {
      try {
        run(spec);
        return;
      } catch (StartFailure e) {
        if (isStopping) {
          throw e;
        }
        var pauseMs = FIRST_PAUSE_MS << attempt;
        LOG.warn("{} did not start; trying again in {} ms: {}", name, pauseMs, e.getMessage());
        pause(pauseMs);
      }
    }
    run(spec);
  }

  private void run(ServerSpec spec) {
    if (isStopping) {
      throw new StartFailure("The start was stopped.");
    }
    var next = ServerRun.launch(spec);
    current = next;
    next.awaitReady(() -> isStopping);
    next.onExit(() -> Thread.startVirtualThread(() -> crashed(next, spec)));
  }

  private void crashed(ServerRun dead, ServerSpec spec) {
    synchronized (this) {
      if (isStopping) {
        return;
      }
      LOG.warn(
          "{} (pid {}) ended unexpectedly with code {}; starting it again",
          name,
          dead.pid(),
          dead.exitCode());
      if (!restart(spec)) {
        return;
      }
    }
    LOG.info("{} is back (pid {})", name, pid());
    onRestart.run();
  }

  private boolean restart(ServerSpec spec) {
    if (hasCrashedTooOften()) {
      onGiveUp.accept(
          "%s crashed more than %d times within a minute, see %s; stopping."
              .formatted(name, CRASHES_MAX, spec.identity().log()));
      return false;
    }
    try {
      startWithRetries(spec);
      return true;
    } catch (StartFailure e) {
      if (!isStopping) {
        onGiveUp.accept(
            "%s crashed and could not be restarted: %s".formatted(name, e.getMessage()));
      }
      return false;
    }
  }

  private boolean hasCrashedTooOften() {
    var now = System.nanoTime();
    crashes.removeIf(at -> now - at > CRASHES_WINDOW_NANOS);
    crashes.addLast(now);
    return crashes.size() > CRASHES_MAX;
  }

  private void pause(long milliseconds) {
    try {
      wait(milliseconds); // releases the lock, so that a stop does not wait
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
