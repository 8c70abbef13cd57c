package io.holdfast.checkout;

import io.holdfast.AtStart;
import io.holdfast.payment.PaymentNotices;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs checkouts to their end: those that begin here at once, and those that somebody left, as
/// soon as their lease is over. Every instance does; two that have the same one do no harm, since
/// only one of them can store anything and the outside knows the ids of both calls as one.
@Singleton
@Order(CheckoutRunner.AFTER_MIGRATIONS)
final class CheckoutRunner implements AtStart {
  static final int AFTER_MIGRATIONS = 110;
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutRunner.class);

  private static final int TURNS_MAX = 100;

  /// One look for so large a part of the places costs little more than one for a single place.
  private static final int WAVES = 4;

  private static final int WAITING_MAX = 10_000;

  /// How often a lease is looked at while it lasts.
  private static final int RENEWALS = 8;

  private final Sagas sagas;
  private final SagaEngine engine;
  private final Transactions transactions;
  private final CheckoutSettings settings;
  private final CheckoutMeters meters;
  private final Waiters waiters;
  private final RunLeases leases;
  private final PaymentNotices notices;
  private final ExecutorService executor;
  private final TaskScheduler scheduler;
  private final Semaphore places;
  private final int worthLooking;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean isLooking = new AtomicBoolean();
  private volatile boolean isMoreDue;
  private volatile boolean isClosed;

  CheckoutRunner(
      Sagas sagas,
      SagaEngine engine,
      Transactions transactions,
      CheckoutSettings settings,
      CheckoutMeters meters,
      Waiters waiters,
      RunLeases leases,
      PaymentNotices notices,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.sagas = sagas;
    this.engine = engine;
    this.transactions = transactions;
    this.settings = settings;
    this.meters = meters;
    this.waiters = waiters;
    this.leases = leases;
    this.notices = notices;
    this.executor = executor;
    this.scheduler = scheduler;
    this.places = new Semaphore(settings.runners(), true);
    this.worthLooking = Math.max(1, settings.runners() / WAVES);
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(settings.look(), settings.look(), this::lookSoon);
    var often = settings.lease().dividedBy(RENEWALS);
    scheduler.scheduleWithFixedDelay(often, often, () -> executor.execute(leases::renew));
    notices.onNotice(this::wake);
  }

  /// Runs one that has just begun here, under the lease it began with, as soon as there is a place.
  /// Of too many some are found again when that lease is over.
  void begin(Run run) {
    if (waiting.incrementAndGet() > WAITING_MAX) {
      waiting.decrementAndGet();
      return;
    }
    executor.execute(
        () -> {
          places.acquireUninterruptibly();
          waiting.decrementAndGet();
          resumeInPlace(run);
        });
  }

  @PreDestroy
  void close() {
    isClosed = true;
  }

  /// Whoever waits for a notice is due as soon as it has come.
  private void wake(String paymentId) {
    CheckoutId.parse(paymentId)
        .ifPresent(
            id -> {
              transactions.write(connection -> RunWrites.wake(connection, id));
              lookSoon();
            });
  }

  private void lookSoon() {
    if (!isClosed && isLooking.compareAndSet(false, true)) {
      executor.execute(
          () -> {
            try {
              look();
            } finally {
              isLooking.set(false);
            }
          });
    }
  }

  private void look() {
    try {
      while (!isClosed && takeSome() && places.availablePermits() >= worthLooking) {
        LOG.debug("more checkouts are due");
      }
    } catch (PostgresUnavailable e) {
      LOG.debug("no checkout can be taken", e);
    } catch (RuntimeException e) { // or it would never be called again
      LOG.error("Checkouts that are due could not be taken; it is tried again", e);
    }
  }

  /// Whether there may be more.
  private boolean takeSome() {
    var free = places.drainPermits();
    if (free == 0) {
      return false;
    }
    var started = 0;
    try {
      var runs =
          transactions.write(
              connection -> RunRows.take(connection, free, settings.lease().toMillis()));
      for (var run : runs) {
        started++;
        start(run);
      }
      isMoreDue = runs.size() == free;
      return isMoreDue;
    } finally {
      places.release(free - started);
    }
  }

  private void start(Run run) {
    executor.execute(() -> resumeInPlace(run));
  }

  private void resumeInPlace(Run run) {
    try {
      resume(run);
    } catch (PostgresUnavailable e) {
      LOG.debug("checkout {} waits for Postgres", run.id(), e);
    } catch (RuntimeException e) { // the next runner tries again
      LOG.error("Checkout {} met an error; it is resumed", run.id(), e);
    } finally {
      places.release();
      if (isMoreDue && places.availablePermits() >= worthLooking) {
        lookSoon();
      }
    }
  }

  private Optional<Progress> turn(Run run) {
    try (var _ = leases.hold(run)) {
      return engine.turn(sagas.named(run.saga()), run);
    }
  }

  /// Until it ends, rests, or is somebody else's.
  void resume(Run first) {
    var run = first;
    for (var turns = 0; turns < TURNS_MAX && !isClosed; turns++) {
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
      if (!progress.get().pause().isZero()) {
        return;
      }
    }
  }
}
