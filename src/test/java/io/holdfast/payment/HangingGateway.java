package io.holdfast.payment;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// Blocks every authorisation until the test releases it, and ignores interrupts, like a connection
/// that hangs.
final class HangingGateway implements PaymentGateway {
  private final PaymentGateway behind;
  private final CountDownLatch awake = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();

  HangingGateway(PaymentGateway behind) {
    this.behind = behind;
  }

  void wakeUp() {
    awake.countDown();
  }

  int asked() {
    return asked.get();
  }

  @Override
  public String provider() {
    return behind.provider();
  }

  @Override
  public boolean accepts(String method) {
    return behind.accepts(method);
  }

  @Override
  public PaymentOutcome call(PaymentStep step, PaymentCall call) {
    if (step == PaymentStep.AUTHORISE) {
      asked.incrementAndGet();
      awaitWakeUp();
    }
    return behind.call(step, call);
  }

  private void awaitWakeUp() {
    while (awake.getCount() > 0) {
      try {
        awake.await();
      } catch (InterruptedException e) {
        // keeps hanging
      }
    }
  }
}
