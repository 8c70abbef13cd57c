package io.holdfast.payment;

import io.holdfast.payment.SimulatedMethod.Kind;
import io.holdfast.pool.Price;
import io.holdfast.postgres.PaymentAsk;
import io.holdfast.postgres.SimulatedAccount;
import io.holdfast.postgres.SimulatedEntry;

/// What the simulator makes of a call, from how the payment stands. Nothing here knows of time,
/// wires or books.
record SimulatedRules(PaymentAsk ask, SimulatedMethod method) {
  private static final int REFUNDS_REFUSED = 2;

  SimulatedEntry decide(SimulatedAccount account) {
    if (!account.currency().equals(ask.amount().currency())) {
      return SimulatedEntry.declined(account, "this payment is in " + account.currency());
    }
    return switch (PaymentStep.of(ask.step())) {
      case AUTHORISE -> told(authorise(account));
      case CAPTURE -> told(capture(account));
      case CANCEL -> cancel(account);
      case REFUND -> refund(account);
    };
  }

  private SimulatedEntry authorise(SimulatedAccount account) {
    if (account.isCancelled()) {
      return SimulatedEntry.declined(account, "the payment was cancelled");
    }
    if (account.authorised() != null) {
      return SimulatedEntry.declined(account, "the payment was authorised before");
    }
    if (method.is(Kind.DECLINE)) {
      return SimulatedEntry.declined(account, "the card was declined");
    }
    var authorised = account.authorised(ask.amount().cents());
    return method.is(Kind.LATE_WEBHOOK)
        ? done(authorised, ask.amount()).toldLater(method.delay())
        : done(authorised, ask.amount());
  }

  private SimulatedEntry capture(SimulatedAccount account) {
    if (account.isCancelled()) {
      return SimulatedEntry.declined(account, "the payment was cancelled");
    }
    if (account.authorised() == null || account.authorised() < ask.amount().cents()) {
      return SimulatedEntry.declined(account, "more than was authorised");
    }
    if (account.captured() != null) {
      return SimulatedEntry.declined(account, "the payment was captured before");
    }
    if (method.is(Kind.FAIL_CAPTURE)) {
      return SimulatedEntry.declined(account, "the capture was declined");
    }
    return done(account.captured(ask.amount().cents()), ask.amount());
  }

  private SimulatedEntry cancel(SimulatedAccount account) {
    if (account.captured() != null && account.captured() > account.refunded()) {
      return SimulatedEntry.declined(account, "the payment was captured and has to be refunded");
    }
    var isFreed =
        account.authorised() != null && account.captured() == null && !account.isCancelled();
    return done(account.cancelled(), isFreed ? price(account.authorised()) : price(0));
  }

  private SimulatedEntry refund(SimulatedAccount account) {
    if (account.captured() == null) {
      return done(account, price(0));
    }
    var isRefused =
        method.is(Kind.STUCK_REFUND)
            || method.is(Kind.FAIL_REFUND) && account.refundsRefused() < REFUNDS_REFUSED;
    if (isRefused) {
      var refused = account.refusedRefund();
      return SimulatedEntry.declined(refused, "refunds are down, try again later").notKept();
    }
    if (ask.amount().cents() > account.captured() - account.refunded()) {
      return SimulatedEntry.declined(account, "more than is left of what was captured");
    }
    return done(account.refunded(ask.amount().cents()), ask.amount());
  }

  private SimulatedEntry done(SimulatedAccount account, Price moved) {
    return SimulatedEntry.done(account, moved, "sim-" + ask.callId());
  }

  private SimulatedEntry told(SimulatedEntry entry) {
    return method.is(Kind.DUPLICATE_WEBHOOK) ? entry.toldTwice() : entry;
  }

  private Price price(long cents) {
    return new Price(cents, ask.amount().currency());
  }
}
