package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.RunLeases;
import io.holdfast.checkout.saga.RunTransition;
import io.holdfast.checkout.saga.SagaEngine;
import io.holdfast.checkout.saga.SagaRegistry;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.PollingTask;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs checkouts to their end: new ones of this instance at once, and those of a lost runner when
/// their lease ends. If two instances run the same one, only the holder of the lease can store
/// anything, and the provider sees the same call ids.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS + 10)
final class CheckoutRunner implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutRunner.class);

  private static final int TURNS_MAX = 100;

  /// Due checkouts are taken when this part of the permits is free, not for each single one.
  private static final int TAKES = 4;

  private static final int WAITING_MAX = 10_000;

  /// For the turns that run at the stop. Other instances resume those that take longer.
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(2);

  /// How many times longer the pause gets while nothing is due.
  private static final int LOOKS_SKIPPED_MAX = 4;

  private final SagaRegistry sagas;
  private final SagaEngine engine;
  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final CheckoutMeters meters;
  private final CompletionWaiters waiters;
  private final RunLeases leases;
  private final PaymentNotices notices;
  private final ExecutorService executor;
  private final PollingTask polling;
  private final PeriodicTask take;
  private final Semaphore permits;
  private final int takeFrom;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean isMoreDue;

  CheckoutRunner(
      SagaRegistry sagas,
      SagaEngine engine,
      Transactions transactions,
      CheckoutSettings settings,
      CheckoutMeters meters,
      CompletionWaiters waiters,
      RunLeases leases,
      PaymentNotices notices,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      PeriodicTasks tasks) {
    this.sagas = sagas;
    this.engine = engine;
    this.transactions = transactions;
    this.settings = settings;
    this.meters = meters;
    this.waiters = waiters;
    this.leases = leases;
    this.notices = notices;
    this.executor = executor;
    this.permits = new Semaphore(settings.runners(), true);
    this.takeFrom = Math.max(1, settings.runners() / TAKES);
    var pauseMax = settings.look().multipliedBy(LOOKS_SKIPPED_MAX);
    this.polling = new PollingTask(tasks, "checkout-take", settings.look(), pauseMax, this::look);
    this.take = polling.task().onStop(this::awaitTurns);
  }

  @Override
  public void atStart() {
    leases.start();
    take.start();
    notices.onNotice(this::wake);
  }

  /// Runs a new checkout under its first lease, as soon as there is a permit. If too many wait, it
  /// is taken again when that lease ends.
  void start(CheckoutRun run) {
    if (waiting.incrementAndGet() > WAITING_MAX) {
      waiting.decrementAndGet();
      polling.expect(settings.lease().plus(settings.look()));
      return;
    }
    executor.execute(
        () -> {
          permits.acquireUninterruptibly();
          waiting.decrementAndGet();
          resumeAndRelease(run);
        });
  }

  /// A checkout that waits for a notice is due when it arrives.
  private void wake(String paymentId) {
    CheckoutId.parse(paymentId)
        .ifPresent(
            id -> {
              transactions.write(connection -> CheckoutRunWriter.wake(connection, id));
              take.wake();
            });
  }

  /// Returns whether some were due, or may be.
  private boolean look() {
    var hasFound = permits.availablePermits() == 0;
    while (!take.isStopping()) {
      hasFound |= takeDue() > 0;
      if (!isMoreDue || permits.availablePermits() < takeFrom) {
        return hasFound;
      }
      LOG.debug("more checkouts are due");
    }
    return hasFound;
  }

  /// No run starts a further turn after the stop, so all permits become free.
  private void awaitTurns() {
    try {
      if (!permits.tryAcquire(
          settings.runners(), STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.info("Some checkouts still run at the stop; they are resumed when their lease ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns how many were taken. Without a free permit none are looked for.
  private int takeDue() {
    var free = permits.drainPermits();
    if (free == 0) {
      return 0;
    }
    var started = 0;
    try {
      var runs =
          transactions.write(
              connection -> CheckoutRunReader.take(connection, free, settings.lease().toMillis()));
      for (var run : runs) {
        started++;
        executor.execute(() -> resumeAndRelease(run));
      }
      isMoreDue = runs.size() == free;
      return runs.size();
    } finally {
      permits.release(free - started);
    }
  }

  private void resumeAndRelease(CheckoutRun run) {
    try {
      resume(run);
    } catch (PostgresUnavailable e) {
      LOG.debug("checkout {} waits for Postgres", run.id(), e);
      polling.expect(settings.lease().plus(settings.look()));
    } catch (RuntimeException e) { // the next runner tries again
      LOG.error("Checkout {} failed unexpectedly; it is resumed", run.id(), e);
      polling.expect(settings.lease().plus(settings.look()));
    } finally {
      permits.release();
      if (isMoreDue && permits.availablePermits() >= takeFrom) {
        take.wake();
      }
    }
  }

  private Optional<RunTransition> turn(CheckoutRun run) {
    try (var _ = leases.hold(run)) {
      return engine.turn(sagas.named(run.saga()), run);
    } catch (PostgresUnavailable e) {
      if (!e.isDefinite()) {
        meters.lost(run);
      }
      throw e;
    }
  }

  /// Runs turns until the run ends, pauses, or has another runner.
  void resume(CheckoutRun first) {
    var run = first;
    meters.resumed(first);
    for (var turns = 0; turns < TURNS_MAX && !take.isStopping(); turns++) {
      var transition = turn(run);
      if (transition.isEmpty()) {
        LOG.debug("checkout {} has another runner", run.id());
        return;
      }
      var before = run;
      run = transition.get().run();
      meters.count(transition.get().entries());
      if (run.phase().isEnd()) {
        if (run.hasEndedSince(before)) {
          meters.ended(run);
        }
        waiters.ended(run);
        return;
      }
      var pause = transition.get().pause();
      if (!pause.isZero()) {
        polling.expect(pause.plus(settings.look()));
        return;
      }
    }
  }
}
