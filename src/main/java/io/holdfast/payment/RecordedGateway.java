package io.holdfast.payment;

import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.postgres.PostgresUnavailable;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wraps a gateway: records each call before it is made, bounds the calls in flight, and answers
/// within the time limit whatever the provider does. The wait for a permit counts against that
/// limit. A notice of the provider on a call counts as its answer.
final class RecordedGateway implements PaymentGateway {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedGateway.class);

  private final PaymentGateway provider;
  private final PaymentCallLog calls;
  private final PaymentNotices notices;
  private final MeterRegistry meters;
  private final Duration timeout;
  private final Semaphore permits;

  RecordedGateway(
      PaymentGateway provider,
      PaymentCallLog calls,
      PaymentNotices notices,
      MeterRegistry meters,
      PaymentSettings settings) {
    this.provider = provider;
    this.calls = calls;
    this.notices = notices;
    this.meters = meters;
    this.timeout = settings.timeout();
    this.permits = new Semaphore(settings.callsMax());
  }

  @Override
  public String provider() {
    return provider.provider();
  }

  @Override
  public boolean accepts(String method) {
    return provider.accepts(method);
  }

  @Override
  public boolean failsFulfilment(String method) {
    return provider.failsFulfilment(method);
  }

  @Override
  public PaymentOutcome call(PaymentStep step, PaymentCall call) {
    var since = System.nanoTime();
    var outcome = callInTime(step, call, since + timeout.toNanos());
    measure(step, outcome, System.nanoTime() - since);
    return outcome;
  }

  private PaymentOutcome callInTime(PaymentStep step, PaymentCall call, long deadline) {
    try {
      var noticed = isNew(step, call) ? Optional.<PaymentOutcome>empty() : noticed(call);
      if (noticed.isPresent() && isFinal(step, noticed.get())) {
        return noticed.get();
      }
      if (!permits.tryAcquire(permitBy(deadline) - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return new Unknown("not asked, too many calls wait for " + provider());
      }
      var answer = await(start(step, call), deadline);
      return answer instanceof Pending ? noticed.orElse(answer) : answer;
    } catch (PostgresUnavailable e) {
      return new Unknown("not asked, because the call could not be recorded");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown("interrupted while waiting for " + provider());
    }
  }

  /// Records the call. Returns false if it was recorded before.
  private boolean isNew(PaymentStep step, PaymentCall call) {
    var record =
        new PaymentCallRecord(
            provider(), call.callId(), call.paymentId(), step.word(), call.method(), call.amount());
    var recorded = calls.record(record);
    if (!recorded.call().equals(record)) {
      throw new IllegalArgumentException(
          "call id %s was used for %s and cannot be used for %s"
              .formatted(call.callId(), recorded.call(), record));
    }
    return recorded.isNew();
  }

  /// Only a call that was made before can have a notice.
  private Optional<PaymentOutcome> noticed(PaymentCall call) {
    return notices.of(provider(), call.callId());
  }

  /// A declined cancel or refund is tried again until it succeeds. If the provider then answers
  /// `Pending` again, the notice counts.
  private static boolean isFinal(PaymentStep step, PaymentOutcome noticed) {
    return switch (step) {
      case AUTHORISE, CAPTURE -> true;
      case CANCEL, REFUND -> noticed instanceof Done;
    };
  }

  /// Half of the time is left for the answer: a call at the last moment would not get one.
  private long permitBy(long deadline) {
    return deadline - timeout.toNanos() / 2;
  }

  /// The permit is kept until the call ends, even if nobody waits for it: a hanging call still
  /// burdens the provider.
  private FutureTask<PaymentOutcome> start(PaymentStep step, PaymentCall call) {
    var task = new FutureTask<>(() -> provider.call(step, call));
    Thread.ofVirtual()
        .name("payment")
        .start(
            () -> {
              try {
                task.run();
              } finally {
                permits.release();
              }
            });
    return task;
  }

  private PaymentOutcome await(FutureTask<PaymentOutcome> task, long deadline)
      throws InterruptedException {
    try {
      return task.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return new Unknown(
          "%s gave no answer within %d ms".formatted(provider(), timeout.toMillis()));
    } catch (ExecutionException e) {
      LOG.error("A call to {} failed unexpectedly; its outcome is unknown", provider(), e);
      return new Unknown("the call to " + provider() + " failed unexpectedly");
    } finally {
      task.cancel(true);
    }
  }

  private void measure(PaymentStep step, PaymentOutcome outcome, long nanos) {
    Timer.builder("holdfast.payment.duration")
        .description("From a call to a payment provider to its outcome")
        .tag("provider", provider())
        .tag("step", step.word())
        .tag("outcome", word(outcome))
        .register(meters)
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private static String word(PaymentOutcome outcome) {
    return switch (outcome) {
      case Done _ -> "done";
      case Declined _ -> "declined";
      case Pending _ -> "pending";
      case Unknown _ -> "unknown";
    };
  }
}
