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

/// Runs checkouts to their end: those that begin here at once, and those that somebody left, as
/// soon as their lease is over. Every instance does; two that have the same one do no harm, since
/// only one of them can store anything and the outside knows the ids of both calls as one.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS + 10)
final class CheckoutRunner implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutRunner.class);

  private static final int TURNS_MAX = 100;

  /// One look for so large a part of the places costs little more than one for a single place.
  private static final int WAVES = 4;

  private static final int WAITING_MAX = 10_000;

  /// For the turns under way at the stop. Others resume what takes longer.
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(2);

  /// How much longer the pause gets while nothing is due.
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
  private final Semaphore places;
  private final int worthLooking;
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
    this.places = new Semaphore(settings.runners(), true);
    this.worthLooking = Math.max(1, settings.runners() / WAVES);
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

  /// Runs one that has just begun here, under the lease it began with, as soon as there is a place.
  /// Of too many some are found again when that lease is over.
  void begin(CheckoutRun run) {
    if (waiting.incrementAndGet() > WAITING_MAX) {
      waiting.decrementAndGet();
      polling.expect(settings.lease().plus(settings.look()));
      return;
    }
    executor.execute(
        () -> {
          places.acquireUninterruptibly();
          waiting.decrementAndGet();
          resumeInPlace(run);
        });
  }

  /// Whoever waits for a notice is due as soon as it has come.
  private void wake(String paymentId) {
    CheckoutId.parse(paymentId)
        .ifPresent(
            id -> {
              transactions.write(connection -> CheckoutRunWriter.wake(connection, id));
              take.wake();
            });
  }

  /// Whether some were due, or may be.
  private boolean look() {
    var hasFound = places.availablePermits() == 0;
    while (!take.isStopping()) {
      hasFound |= takeSome() > 0;
      if (!isMoreDue || places.availablePermits() < worthLooking) {
        return hasFound;
      }
      LOG.debug("more checkouts are due");
    }
    return hasFound;
  }

  /// No run begins a further turn by now, so all places become free.
  private void awaitTurns() {
    try {
      if (!places.tryAcquire(settings.runners(), STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.info("Checkouts are under way at the stop; they are resumed when their lease ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns how many. Without a free place nothing is known of what is due.
  private int takeSome() {
    var free = places.drainPermits();
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
        start(run);
      }
      isMoreDue = runs.size() == free;
      return runs.size();
    } finally {
      places.release(free - started);
    }
  }

  private void start(CheckoutRun run) {
    executor.execute(() -> resumeInPlace(run));
  }

  private void resumeInPlace(CheckoutRun run) {
    try {
      resume(run);
    } catch (PostgresUnavailable e) {
      LOG.debug("checkout {} waits for Postgres", run.id(), e);
      polling.expect(settings.lease().plus(settings.look()));
    } catch (RuntimeException e) { // the next runner tries again
      LOG.error("Checkout {} met an error; it is resumed", run.id(), e);
      polling.expect(settings.lease().plus(settings.look()));
    } finally {
      places.release();
      if (isMoreDue && places.availablePermits() >= worthLooking) {
        take.wake();
      }
    }
  }

  private Optional<RunTransition> turn(CheckoutRun run) {
    try (var _ = leases.hold(run)) {
      return engine.turn(sagas.named(run.saga()), run);
    }
  }

  /// Until it ends, rests, or is somebody else's.
  void resume(CheckoutRun first) {
    var run = first;
    for (var turns = 0; turns < TURNS_MAX && !take.isStopping(); turns++) {
      var progress = turn(run);
      if (progress.isEmpty()) {
        LOG.debug("checkout {} is run by somebody else", run.id());
        return;
      }
      run = progress.get().run();
      meters.counted(progress.get().entries());
      if (run.phase().isEnd()) {
        meters.ended(run);
        waiters.ended(run);
        return;
      }
      var pause = progress.get().pause();
      if (!pause.isZero()) {
        polling.expect(pause.plus(settings.look()));
        return;
      }
    }
  }
}
