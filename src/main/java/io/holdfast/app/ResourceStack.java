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

/// Closes in reverse order what a start has opened so far, once, whoever asks first: the failed
/// start, the ordinary end, or a signal half-way. What is opened after that is closed at once.
final class ResourceStack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceStack.class);

  /// How long a step of the start is waited for. What takes longer is broken off in its middle.
  private static final Duration STEP_PATIENCE = Duration.ofSeconds(2);

  private final Deque<Opened> opened = new ArrayDeque<>();
  private final ReentrantLock step = new ReentrantLock();
  private boolean isClosed;

  private record Opened(String name, AutoCloseable resource) {}

  /// Returns `resource`, which belongs to this closer from now on.
  ///
  /// @param name for the log, if it cannot be closed
  <T extends AutoCloseable> T opened(String name, T resource) {
    var one = new Opened(name, resource);
    synchronized (opened) {
      if (!isClosed) {
        opened.push(one);
        return resource;
      }
    }
    closeOne(one);
    throw brokenOff();
  }

  /// Runs a step of the start as a whole: `close` waits for it, and none begins after `close`.
  ///
  /// @throws StartFailure if this is closed already
  void step(Runnable work) {
    step.lock();
    try {
      if (isClosed()) {
        throw brokenOff();
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

  static StartFailure brokenOff() {
    return new StartFailure("The start was broken off; everything that it had started was ended.");
  }

  /// A second caller waits for the first, so that nobody takes a half-closed service for closed.
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
      if (step.tryLock(STEP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        step.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// One resource that cannot be closed must not keep the others open.
  private static void closeOne(Opened one) {
    try {
      one.resource.close();
    } catch (Exception e) {
      LOG.warn("The stop of {} failed; the rest is stopped all the same", one.name, e);
    }
  }
}
