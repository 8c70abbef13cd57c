package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.PaymentStep;
import io.holdfast.payment.simulator.SimulatedMethod.Kind;
import io.holdfast.pool.Price;

/// Decides a call by the state of its payment. It makes no calls and stores nothing.
record SimulatedRules(PaymentCallRecord call, SimulatedMethod method) {
  private static final int REFUNDS_REFUSED = 2;

  SimulatorDecision decide(SimulatedAccount account) {
    if (!account.currency().equals(call.amount().currency())) {
      return SimulatorDecision.declined(account, "this payment is in " + account.currency());
    }
    return switch (PaymentStep.of(call.step())) {
      case AUTHORISE -> withNotices(authorise(account));
      case CAPTURE -> withNotices(capture(account));
      case CANCEL -> cancel(account);
      case REFUND -> refund(account);
    };
  }

  private SimulatorDecision authorise(SimulatedAccount account) {
    if (account.isCancelled()) {
      return SimulatorDecision.declined(account, "the payment was cancelled");
    }
    if (account.authorised() != null) {
      return SimulatorDecision.declined(account, "the payment was authorised before");
    }
    if (method.is(Kind.DECLINE)) {
      return SimulatorDecision.declined(account, "the card was declined");
    }
    var authorised = account.authorised(call.amount().cents());
    return method.is(Kind.LATE_WEBHOOK)
        ? done(authorised, call.amount()).answeredByNotice(method.delay())
        : done(authorised, call.amount());
  }

  private SimulatorDecision capture(SimulatedAccount account) {
    if (account.isCancelled()) {
      return SimulatorDecision.declined(account, "the payment was cancelled");
    }
    if (account.authorised() == null || account.authorised() < call.amount().cents()) {
      return SimulatorDecision.declined(account, "more than was authorised");
    }
    if (account.captured() != null) {
      return SimulatorDecision.declined(account, "the payment was captured before");
    }
    if (method.is(Kind.FAIL_CAPTURE)) {
      return SimulatorDecision.declined(account, "the capture was declined");
    }
    return done(account.captured(call.amount().cents()), call.amount());
  }

  private SimulatorDecision cancel(SimulatedAccount account) {
    if (account.captured() != null && account.captured() > account.refunded()) {
      return SimulatorDecision.declined(account, "the payment was captured and has to be refunded");
    }
    var isFreed =
        account.authorised() != null && account.captured() == null && !account.isCancelled();
    return done(account.cancelled(), isFreed ? price(account.authorised()) : price(0));
  }

  private SimulatorDecision refund(SimulatedAccount account) {
    if (account.captured() == null) {
      return done(account, price(0));
    }
    var isRefused =
        method.is(Kind.STUCK_REFUND)
            || method.is(Kind.FAIL_REFUND) && account.refundsRefused() < REFUNDS_REFUSED;
    if (isRefused) {
      var refused = account.refusedRefund();
      return SimulatorDecision.declined(refused, "refunds are down, try again later").notKept();
    }
    if (call.amount().cents() > account.captured() - account.refunded()) {
      return SimulatorDecision.declined(account, "more than is left of what was captured");
    }
    return done(account.refunded(call.amount().cents()), call.amount());
  }

  private SimulatorDecision done(SimulatedAccount account, Price moved) {
    return SimulatorDecision.done(account, moved, "sim-" + call.callId());
  }

  private SimulatorDecision withNotices(SimulatorDecision decision) {
    return method.is(Kind.DUPLICATE_WEBHOOK) ? decision.withTwoNotices() : decision;
  }

  private Price price(long cents) {
    return new Price(cents, call.amount().currency());
  }
}
