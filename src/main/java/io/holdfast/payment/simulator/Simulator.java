package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.PaymentGateway;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.PaymentStep;
import io.holdfast.postgres.PostgresUnavailable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A provider without money, for trying things out. It keeps books as a real one does, moves
/// nothing twice, and does or loses what the method says.
public final class Simulator implements PaymentGateway {
  public static final String PROVIDER = "simulator";

  /// Whoever asked has long stopped listening.
  private static final int SILENCE_SECONDS = 90;

  private final SimulatorLedger books;
  private final Consumer<Duration> onNotice;

  /// @param onNotice is told when there will be something to tell
  public Simulator(SimulatorLedger books, Consumer<Duration> onNotice) {
    this.books = books;
    this.onNotice = onNotice;
  }

  /// Whether the fulfilment of an order that was paid by this method refuses.
  public static boolean failsFulfilment(String method) {
    return method.equals(SimulatedMethod.Kind.FAIL_FULFIL.word());
  }

  @Override
  public String provider() {
    return PROVIDER;
  }

  @Override
  public boolean accepts(String method) {
    return SimulatedMethod.find(method).isPresent();
  }

  @Override
  public PaymentOutcome authorise(PaymentCall call) {
    return ask(PaymentStep.AUTHORISE, call);
  }

  @Override
  public PaymentOutcome capture(PaymentCall call) {
    return ask(PaymentStep.CAPTURE, call);
  }

  @Override
  public PaymentOutcome cancel(PaymentCall call) {
    return ask(PaymentStep.CANCEL, call);
  }

  @Override
  public PaymentOutcome refund(PaymentCall call) {
    return ask(PaymentStep.REFUND, call);
  }

  private PaymentOutcome ask(PaymentStep step, PaymentCall call) {
    var method = SimulatedMethod.find(call.method()).orElse(null);
    if (method == null) {
      return new Declined("the simulator knows no method " + call.method());
    }
    try {
      var ask =
          new PaymentCallRecord(
              PROVIDER, call.callId(), call.paymentId(), step.word(), call.method(), call.amount());
      var entered = books.enter(ask, new SimulatedRules(ask, method)::decide);
      return entered
          .map(made -> answer(step, method, made))
          .orElseGet(() -> new Unknown("the simulator is too busy with this payment"));
    } catch (PostgresUnavailable e) {
      return new Unknown("the simulator's books are away: " + e.getMessage());
    }
  }

  private PaymentOutcome answer(PaymentStep step, SimulatedMethod method, SimulatedCall made) {
    if (method.tells()) {
      onNotice.accept(method.delay());
    }
    if (method.losesAnswer(step, made.asked())) {
      return silence();
    }
    if (made.isUntold()) {
      return new Pending("the simulator tells by a notice");
    }
    return made.isDone() ? new Done(made.detail(), made.moved()) : new Declined(made.detail());
  }

  private static PaymentOutcome silence() {
    try {
      new CountDownLatch(1).await(SILENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new Unknown("the simulator said nothing");
  }
}
