package io.holdfast.app;

import io.holdfast.runtime.StartFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes in reverse order what a start has opened so far. A failed start, a normal stop or a
/// signal may ask for it; only the first one counts. What is opened after that is closed at once.
final class ResourceStack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceStack.class);

  /// How long `close` waits for the running step of the start. A longer step is interrupted by the
  /// closing of its resources.
  private static final Duration STEP_TIMEOUT = Duration.ofSeconds(2);

  private final Deque<Opened> opened = new ArrayDeque<>();
  private final ReentrantLock step = new ReentrantLock();
  private boolean isClosed;

  private record Opened(String name, AutoCloseable resource) {}

  /// Returns `resource`, which is closed by this stack from now on.
  ///
  /// @param name for the log, if closing fails
  <T extends AutoCloseable> T opened(String name, T resource) {
    var one = new Opened(name, resource);
    synchronized (opened) {
      if (!isClosed) {
        opened.push(one);
        return resource;
      }
    }
    closeOne(one);
    throw stopped();
  }

  /// Runs one step of the start: `close` waits for it, and no step begins after `close`.
  ///
  /// @throws StartFailure if this is closed already
  void step(Runnable work) {
    step.lock();
    try {
      if (isClosed()) {
        throw stopped();
      }
      work.run();
    } finally {
      step.unlock();
    }
  }

  boolean isClosed() {
    synchronized (opened) {
      return isClosed;
    }
  }

  static StartFailure stopped() {
    return new StartFailure("The start was stopped; everything that it had started is closed.");
  }

  /// A second caller waits for the first, so that it returns only when everything is closed.
  @Override
  public synchronized void close() {
    synchronized (opened) {
      isClosed = true;
    }
    awaitStep();
    for (var next = pop(); next != null; next = pop()) {
      closeOne(next);
    }
  }

  private @Nullable Opened pop() {
    synchronized (opened) {
      return opened.poll();
    }
  }

  private void awaitStep() {
    try {
      if (step.tryLock(STEP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        step.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// A failure must not keep the other resources open.
  private static void closeOne(Opened one) {
    try {
      one.resource.close();
    } catch (Exception e) {
      LOG.warn("Closing {} failed; closing the rest", one.name, e);
    }
  }
}
