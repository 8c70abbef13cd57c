package io.holdfast.payment.simulator;

import io.holdfast.pool.Price;

/// One call as the books of the simulator have it.
///
/// @param detail the reference if it is done, otherwise why not
/// @param asked how often, this time included
/// @param isUntold whether its end is for a notice to tell that has not been due yet
public record SimulatedCall(
    String callId,
    String paymentId,
    String step,
    boolean isDone,
    Price moved,
    String detail,
    int asked,
    boolean isUntold) {}
