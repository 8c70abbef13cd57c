package io.holdfast.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Work that is repeated until the service stops. Each task has a virtual thread of its own, so its
/// runs never overlap and a run that blocks delays no other task. A run that fails, with whatever
/// exception or error, is followed by another one after a bounded pause.
public final class PeriodicTask {
  /// The pause after a first failure. It doubles with each further one.
  static final Duration BACKOFF_MIN = Duration.ofMillis(50);

  static final Duration BACKOFF_MAX = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);

  private final PeriodicTasks tasks;
  private final TaskReport report;
  private final Duration period;
  private final Supplier<Duration> body;
  private Runnable onStop = () -> {};
  private Duration backoff = Duration.ZERO;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile boolean isStopping;
  private boolean isWoken;
  private boolean hasStopped;
  private long dueAt;
  private long notBefore;
  private @Nullable Thread thread;

  /// @param period the pause before the first run, and the shortest pause after a failure
  /// @param body returns the pause after a run that succeeded
  PeriodicTask(PeriodicTasks tasks, TaskReport report, Duration period, Supplier<Duration> body) {
    this.tasks = tasks;
    this.report = report;
    this.period = period;
    this.body = body;
  }

  public String name() {
    return report.task();
  }

  /// Called once at the stop, after the last run, while Postgres and Redis are still there.
  public PeriodicTask onStop(Runnable action) {
    onStop = action;
    return this;
  }

  /// Does nothing if the service is stopping already.
  public void start() {
    tasks.start(this);
  }

  /// Runs once on the calling thread before it starts. A failure is handled as that of any run.
  public void startAfterRun() {
    run();
    start();
  }

  /// Ends the current pause; during a run, the next one follows at once. The pause after a failure
  /// lasts at least as long as the back-off.
  public void wake() {
    lock.lock();
    try {
      isWoken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Whether no further run will start. A long run asks this between its parts.
  public boolean isStopping() {
    return isStopping;
  }

  void begin() {
    lock.lock();
    try {
      notBefore = System.nanoTime();
      dueAt = notBefore + period.toNanos();
      thread = Thread.ofVirtual().name("task-" + name()).start(this::loop);
    } finally {
      lock.unlock();
    }
  }

  /// No run starts after this; a current run goes on.
  void refuseRuns() {
    lock.lock();
    try {
      isStopping = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the current run, then calls `onStop`. A run that does not end in time is left alone,
  /// and so is what it uses.
  ///
  /// @param deadline of `System.nanoTime`
  void stop(long deadline) {
    refuseRuns();
    if (hasStopped) {
      return;
    }
    if (!hasEnded(deadline)) {
      LOG.warn("Task {} is still running; the service stops without waiting for it", name());
      return;
    }
    hasStopped = true;
    try {
      onStop.run();
    } catch (RuntimeException | Error e) { // the other tasks and the connections stop all the same
      report.stopFailed(e);
    }
  }

  private boolean hasEnded(long deadline) {
    if (thread == null) {
      return true;
    }
    try {
      return thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void loop() {
    while (awaitDue()) {
      pause(run());
    }
  }

  /// The one place that catches everything: after an error, such as a class that is missing or an
  /// assertion, the next run may succeed, and without a next run the failure would go unnoticed.
  private Duration run() {
    try {
      var pause = body.get();
      report.succeeded();
      backoff = Duration.ZERO;
      return pause;
    } catch (Throwable failure) {
      backoff = nextBackoff(backoff);
      reportOrGoOn(failure);
      return backoff.compareTo(period) > 0 ? backoff : period;
    }
  }

  /// Without memory even a log line may fail.
  private void reportOrGoOn(Throwable failure) {
    try {
      report.failed(failure);
    } catch (Throwable inReport) {
      failure.addSuppressed(inReport);
    }
  }

  private static Duration nextBackoff(Duration last) {
    var doubled = last.multipliedBy(2);
    if (doubled.compareTo(BACKOFF_MIN) < 0) {
      return BACKOFF_MIN;
    }
    return doubled.compareTo(BACKOFF_MAX) < 0 ? doubled : BACKOFF_MAX;
  }

  private void pause(Duration pause) {
    lock.lock();
    try {
      var now = System.nanoTime();
      dueAt = now + pause.toNanos();
      notBefore = now + backoff.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /// False when the task stops.
  private boolean awaitDue() {
    lock.lock();
    try {
      while (!isStopping) {
        var left = (isWoken ? notBefore : dueAt) - System.nanoTime();
        if (left <= 0) {
          isWoken = false;
          return true;
        }
        awaitChange(left);
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// A body may have left its thread interrupted, which must not end the loop.
  private void awaitChange(long nanos) {
    try {
      if (changed.await(nanos, TimeUnit.NANOSECONDS)) {
        LOG.trace("task {} was woken", name());
      }
    } catch (InterruptedException e) {
      LOG.debug("an interrupt of task {} is ignored", name(), e);
    }
  }
}
