package io.holdfast.payment;

import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.postgres.PostgresUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stands before a gateway: puts on record what is asked before it is asked, lets so many ask at a
/// time, and answers within the time limit whatever the outside does. Waiting for one's turn counts
/// against that limit. What the provider has told by itself on a call counts as its answer, but a
/// no to what undoes something does not keep anybody from asking again.
final class RecordedGateway implements PaymentGateway {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedGateway.class);

  private final PaymentGateway outside;
  private final PaymentCallLog asks;
  private final PaymentNotices notices;
  private final PaymentMeters meters;
  private final Duration timeout;
  private final Semaphore turns;

  RecordedGateway(
      PaymentGateway outside,
      PaymentCallLog asks,
      PaymentNotices notices,
      PaymentMeters meters,
      PaymentSettings settings) {
    this.outside = outside;
    this.asks = asks;
    this.notices = notices;
    this.meters = meters;
    this.timeout = settings.timeout();
    this.turns = new Semaphore(settings.callsMax());
  }

  @Override
  public String provider() {
    return outside.provider();
  }

  @Override
  public boolean accepts(String method) {
    return outside.accepts(method);
  }

  @Override
  public PaymentOutcome authorise(PaymentCall call) {
    return ask(PaymentStep.AUTHORISE, call, outside::authorise);
  }

  @Override
  public PaymentOutcome capture(PaymentCall call) {
    return ask(PaymentStep.CAPTURE, call, outside::capture);
  }

  @Override
  public PaymentOutcome cancel(PaymentCall call) {
    return ask(PaymentStep.CANCEL, call, outside::cancel);
  }

  @Override
  public PaymentOutcome refund(PaymentCall call) {
    return ask(PaymentStep.REFUND, call, outside::refund);
  }

  private PaymentOutcome ask(
      PaymentStep step, PaymentCall call, Function<PaymentCall, PaymentOutcome> question) {
    var since = System.nanoTime();
    var outcome = askInTime(step, call, question, since + timeout.toNanos());
    meters.asked(provider(), step, outcome, System.nanoTime() - since);
    return outcome;
  }

  private PaymentOutcome askInTime(
      PaymentStep step,
      PaymentCall call,
      Function<PaymentCall, PaymentOutcome> question,
      long deadline) {
    try {
      var told = isNew(step, call) ? Optional.<PaymentOutcome>empty() : told(call);
      if (told.isPresent() && isLast(step, told.get())) {
        return told.get();
      }
      if (!turns.tryAcquire(turnBy(deadline) - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return new Unknown("not asked, too many calls wait for " + provider());
      }
      var answer = await(begin(call, question), deadline);
      return answer instanceof Pending ? told.orElse(answer) : answer;
    } catch (PostgresUnavailable e) {
      return new Unknown("not asked, because it could not be put on record");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown("nobody waited for the answer of " + provider());
    }
  }

  /// Who gets a turn in the last moment would ask and not hear the answer, so half of the time is
  /// left for that.
  private long turnBy(long deadline) {
    return deadline - timeout.toNanos() / 2;
  }

  /// Only whoever has asked before can have been told.
  private Optional<PaymentOutcome> told(PaymentCall call) {
    return notices.of(provider(), call.callId());
  }

  /// Undoing is tried again until it is through. Whoever answers to that once more that a notice
  /// will tell has told by the one that came.
  private static boolean isLast(PaymentStep step, PaymentOutcome told) {
    return switch (step) {
      case AUTHORISE, CAPTURE -> true;
      case CANCEL, REFUND -> told instanceof Done;
    };
  }

  private boolean isNew(PaymentStep step, PaymentCall call) {
    var ask =
        new PaymentCallRecord(
            provider(), call.callId(), call.paymentId(), step.word(), call.method(), call.amount());
    var onRecord = asks.record(ask);
    if (!onRecord.ask().equals(ask)) {
      throw new IllegalArgumentException(
          "call id %s was spent on %s and cannot be spent on %s"
              .formatted(call.callId(), onRecord.ask(), ask));
    }
    return onRecord.isNew();
  }

  /// The turn ends with the call, not with our patience: what hangs still burdens the provider.
  private FutureTask<PaymentOutcome> begin(
      PaymentCall call, Function<PaymentCall, PaymentOutcome> question) {
    var task = new FutureTask<>(() -> question.apply(call));
    Thread.ofVirtual()
        .name("payment")
        .start(
            () -> {
              try {
                task.run();
              } finally {
                turns.release();
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
      LOG.error(
          "A call to {} failed in a way that nobody foresaw; its end is unknown", provider(), e);
      return new Unknown("the call to " + provider() + " failed in a way that nobody foresaw");
    } finally {
      task.cancel(true);
    }
  }
}
