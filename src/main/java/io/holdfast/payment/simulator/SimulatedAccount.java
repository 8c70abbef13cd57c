package io.holdfast.payment.simulator;

import org.jspecify.annotations.Nullable;

/// One payment in the ledger of the simulator.
///
/// @param authorised null before the authorisation
/// @param captured null before the capture
/// @param version counts changes; 0 for a new payment
record SimulatedAccount(
    String currency,
    @Nullable Long authorised,
    @Nullable Long captured,
    long refunded,
    boolean isCancelled,
    int refundsRefused,
    long version) {

  static SimulatedAccount none(String currency) {
    return new SimulatedAccount(currency, null, null, 0, false, 0, 0);
  }

  SimulatedAccount authorised(long cents) {
    return new SimulatedAccount(
        currency, cents, captured, refunded, isCancelled, refundsRefused, version);
  }

  SimulatedAccount captured(long cents) {
    return new SimulatedAccount(
        currency, authorised, cents, refunded, isCancelled, refundsRefused, version);
  }

  SimulatedAccount refunded(long cents) {
    return new SimulatedAccount(
        currency, authorised, captured, refunded + cents, isCancelled, refundsRefused, version);
  }

  SimulatedAccount cancelled() {
    return new SimulatedAccount(
        currency, authorised, captured, refunded, true, refundsRefused, version);
  }

  SimulatedAccount refusedRefund() {
    return new SimulatedAccount(
        currency, authorised, captured, refunded, isCancelled, refundsRefused + 1, version);
  }
}
