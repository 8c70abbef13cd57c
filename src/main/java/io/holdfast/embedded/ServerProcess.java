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

/// Keeps one server running: a crash is logged and answered by a new run on the same data and the
/// same port, so that the links mend themselves. A server that keeps crashing is given up, aloud.
final class ServerProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);
  private static final int STARTS_MAX = 8;
  private static final long FIRST_PAUSE_MS = 100;
  private static final int CRASHES_MAX = 5;
  private static final long CRASHES_WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String name;
  private final Supplier<ServerSpec> plan;
  private final Runnable onRestart;
  private final Consumer<String> onGivingUp;
  private final Deque<Long> crashes = new ArrayDeque<>();

  private @Nullable ServerRun child;
  private volatile boolean isStopping;

  /// @param plan is asked once, at the start, and may take its time for unpacking
  ServerProcess(
      String name, Supplier<ServerSpec> plan, Runnable onRestart, Consumer<String> onGivingUp) {
    this.name = name;
    this.plan = plan;
    this.onRestart = onRestart;
    this.onGivingUp = onGivingUp;
  }

  synchronized void start() {
    var blueprint = plan.get();
    ServerRun.endOrphan(blueprint);
    startPatiently(blueprint);
  }

  synchronized long pid() {
    return child == null ? 0 : child.pid();
  }

  @Override
  public void close() {
    isStopping = true; // before the lock, so that a start under way breaks off
    synchronized (this) {
      if (child != null) {
        child.stop();
      }
    }
  }

  /// More than one try, with growing pauses: what a killed server has left of itself, such as a
  /// statement that still runs, holds its memory until that ends by a limit of its own.
  private void startPatiently(ServerSpec blueprint) {
    for (var attempt = 1; attempt < STARTS_MAX && !isStopping; attempt++) {
      try {
        run(blueprint);
        return;
      } catch (StartFailure e) {
        if (isStopping) {
          throw e;
        }
        var pauseMs = FIRST_PAUSE_MS << attempt;
        LOG.warn("{} did not start, trying again in {} ms: {}", name, pauseMs, e.getMessage());
        pause(pauseMs);
      }
    }
    run(blueprint);
  }

  private void run(ServerSpec blueprint) {
    if (isStopping) {
      throw new StartFailure("The start was broken off.");
    }
    var next = ServerRun.launch(blueprint);
    child = next;
    next.awaitReady(() -> isStopping);
    next.onExit(() -> Thread.startVirtualThread(() -> crashed(next, blueprint)));
  }

  private void crashed(ServerRun dead, ServerSpec blueprint) {
    synchronized (this) {
      if (isStopping) {
        return;
      }
      LOG.warn(
          "{} (pid {}) ended unexpectedly with code {}; starting it again",
          name,
          dead.pid(),
          dead.exitCode());
      if (!restart(blueprint)) {
        return;
      }
    }
    LOG.info("{} is back (pid {})", name, pid());
    onRestart.run();
  }

  private boolean restart(ServerSpec blueprint) {
    if (crashesTooOften()) {
      onGivingUp.accept(
          "%s crashed more than %d times within a minute, see %s; stopping."
              .formatted(name, CRASHES_MAX, blueprint.log()));
      return false;
    }
    try {
      startPatiently(blueprint);
      return true;
    } catch (StartFailure e) {
      if (!isStopping) {
        onGivingUp.accept("%s crashed and does not come back: %s".formatted(name, e.getMessage()));
      }
      return false;
    }
  }

  private boolean crashesTooOften() {
    var now = System.nanoTime();
    crashes.removeIf(at -> now - at > CRASHES_WINDOW_NANOS);
    crashes.addLast(now);
    return crashes.size() > CRASHES_MAX;
  }

  private void pause(long milliseconds) {
    try {
      wait(milliseconds); // gives the lock away, so that an end does not wait for us
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
