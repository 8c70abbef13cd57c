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

/// A payment provider without money, for demos and tests. It keeps a ledger as a real one does and
/// moves nothing twice. The method of a payment says what succeeds, fails or gets lost.
public final class Simulator implements PaymentGateway {
  public static final String PROVIDER = "simulator";

  /// Longer than any caller waits.
  private static final int SILENCE_SECONDS = 90;

  private final SimulatorLedger ledger;
  private final Consumer<Duration> onNotice;

  /// @param onNotice is called with the delay until the next notice is due
  public Simulator(SimulatorLedger ledger, Consumer<Duration> onNotice) {
    this.ledger = ledger;
    this.onNotice = onNotice;
  }

  @Override
  public boolean failsFulfilment(String method) {
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
  public PaymentOutcome call(PaymentStep step, PaymentCall call) {
    var method = SimulatedMethod.find(call.method()).orElse(null);
    if (method == null) {
      return new Declined("the simulator knows no method " + call.method());
    }
    try {
      var record =
          new PaymentCallRecord(
              PROVIDER, call.callId(), call.paymentId(), step.word(), call.method(), call.amount());
      return ledger
          .enter(new SimulatedRules(record, method))
          .map(entered -> answer(step, method, entered))
          .orElseGet(() -> new Unknown("the simulator is too busy with this payment"));
    } catch (PostgresUnavailable e) {
      return new Unknown("the simulator's ledger is away: " + e.getMessage());
    }
  }

  private PaymentOutcome answer(PaymentStep step, SimulatedMethod method, SimulatedCall entered) {
    if (method.sendsNotice()) {
      onNotice.accept(method.delay());
    }
    if (method.losesAnswer(step, entered.asked())) {
      return neverAnswer();
    }
    if (entered.isNoticePending()) {
      return new Pending("the simulator answers by a notice");
    }
    return entered.isDone()
        ? new Done(entered.detail(), entered.moved())
        : new Declined(entered.detail());
  }

  private static PaymentOutcome neverAnswer() {
    try {
      new CountDownLatch(1).await(SILENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new Unknown("the simulator gave no answer");
  }
}
