package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.PaymentStep;
import io.holdfast.payment.simulator.SimulatedMethod.Kind;
import io.holdfast.pool.Price;

/// What the simulator makes of a call, from how the payment stands. Nothing here knows of time,
/// wires or books.
record SimulatedRules(PaymentCallRecord ask, SimulatedMethod method) {
  private static final int REFUNDS_REFUSED = 2;

  SimulatorDecision decide(SimulatedAccount account) {
    if (!account.currency().equals(ask.amount().currency())) {
      return SimulatorDecision.declined(account, "this payment is in " + account.currency());
    }
    return switch (PaymentStep.of(ask.step())) {
      case AUTHORISE -> told(authorise(account));
      case CAPTURE -> told(capture(account));
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
    var authorised = account.authorised(ask.amount().cents());
    return method.is(Kind.LATE_WEBHOOK)
        ? done(authorised, ask.amount()).toldLater(method.delay())
        : done(authorised, ask.amount());
  }

  private SimulatorDecision capture(SimulatedAccount account) {
    if (account.isCancelled()) {
      return SimulatorDecision.declined(account, "the payment was cancelled");
    }
    if (account.authorised() == null || account.authorised() < ask.amount().cents()) {
      return SimulatorDecision.declined(account, "more than was authorised");
    }
    if (account.captured() != null) {
      return SimulatorDecision.declined(account, "the payment was captured before");
    }
    if (method.is(Kind.FAIL_CAPTURE)) {
      return SimulatorDecision.declined(account, "the capture was declined");
    }
    return done(account.captured(ask.amount().cents()), ask.amount());
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
    if (ask.amount().cents() > account.captured() - account.refunded()) {
      return SimulatorDecision.declined(account, "more than is left of what was captured");
    }
    return done(account.refunded(ask.amount().cents()), ask.amount());
  }

  private SimulatorDecision done(SimulatedAccount account, Price moved) {
    return SimulatorDecision.done(account, moved, "sim-" + ask.callId());
  }

  private SimulatorDecision told(SimulatorDecision entry) {
    return method.is(Kind.DUPLICATE_WEBHOOK) ? entry.toldTwice() : entry;
  }

  private Price price(long cents) {
    return new Price(cents, ask.amount().currency());
  }
}
