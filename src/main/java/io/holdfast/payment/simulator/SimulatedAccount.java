package io.holdfast.payment.simulator;

import org.jspecify.annotations.Nullable;

/// How one payment stands in the books of the simulator.
///
/// @param authorised null: never
/// @param captured null: not yet
/// @param version how often it was changed; 0 if there is no such payment
public record SimulatedAccount(
    String currency,
    @Nullable Long authorised,
    @Nullable Long captured,
    long refunded,
    boolean isCancelled,
    int refundsRefused,
    long version) {

  public static SimulatedAccount none(String currency) {
    return new SimulatedAccount(currency, null, null, 0, false, 0, 0);
  }

  public SimulatedAccount authorised(long cents) {
    return new SimulatedAccount(
        currency, cents, captured, refunded, isCancelled, refundsRefused, version);
  }

  public SimulatedAccount captured(long cents) {
    return new SimulatedAccount(
        currency, authorised, cents, refunded, isCancelled, refundsRefused, version);
  }

  public SimulatedAccount refunded(long cents) {
    return new SimulatedAccount(
        currency, authorised, captured, refunded + cents, isCancelled, refundsRefused, version);
  }

  public SimulatedAccount cancelled() {
    return new SimulatedAccount(
        currency, authorised, captured, refunded, true, refundsRefused, version);
  }

  public SimulatedAccount refusedRefund() {
    return new SimulatedAccount(
        currency, authorised, captured, refunded, isCancelled, refundsRefused + 1, version);
  }
}
