package io.holdfast.embedded;

import io.holdfast.StartFailure;
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
  private static final int STARTS_MAX = 4;
  private static final int RESTARTS_MAX = 5;
  private static final long RESTARTS_WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long BACK_OFF_MS = 200;

  private final String name;
  private final Supplier<Blueprint> plan;
  private final Runnable onRestart;
  private final Consumer<String> onGivingUp;
  private final Deque<Long> restarts = new ArrayDeque<>();

  private @Nullable Child child;
  private volatile boolean isStopping;

  /// @param plan is asked once, at the start, and may take its time for unpacking
  ServerProcess(
      String name, Supplier<Blueprint> plan, Runnable onRestart, Consumer<String> onGivingUp) {
    this.name = name;
    this.plan = plan;
    this.onRestart = onRestart;
    this.onGivingUp = onGivingUp;
  }

  /// More than one try: processes of a server that was killed need a moment to let go of its
  /// memory.
  synchronized void start() {
    var blueprint = plan.get();
    Child.endOrphan(blueprint);
    for (var attempt = 1; attempt < STARTS_MAX; attempt++) {
      try {
        run(blueprint);
        return;
      } catch (StartFailure e) {
        LOG.debug("{} did not start, trying again: {}", name, e.getMessage());
        backOff();
      }
    }
    run(blueprint);
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

  private void run(Blueprint blueprint) {
    if (isStopping) {
      throw new StartFailure("The start was broken off.");
    }
    var next = Child.launch(blueprint);
    child = next;
    next.awaitReady(() -> isStopping);
    next.onExit(() -> Thread.startVirtualThread(() -> crashed(next, blueprint)));
  }

  private void crashed(Child dead, Blueprint blueprint) {
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

  private boolean restart(Blueprint blueprint) {
    while (!isStopping && mayRestart()) {
      try {
        run(blueprint);
        return true;
      } catch (StartFailure e) {
        LOG.warn("{} did not come back: {}", name, e.getMessage());
        backOff();
      }
    }
    if (!isStopping) {
      onGivingUp.accept(
          "%s crashed more than %d times within a minute, see %s; stopping."
              .formatted(name, RESTARTS_MAX, blueprint.log()));
    }
    return false;
  }

  private boolean mayRestart() {
    var now = System.nanoTime();
    restarts.removeIf(at -> now - at > RESTARTS_WINDOW_NANOS);
    restarts.addLast(now);
    return restarts.size() <= RESTARTS_MAX;
  }

  private void backOff() {
    try {
      wait(BACK_OFF_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
