package io.holdfast.payment.simulator;

import io.holdfast.pool.Price;

/// One call in the ledger of the simulator.
///
/// @param detail the reference if it is done, otherwise the reason
/// @param asked how often it was called, this time included
/// @param isNoticePending whether only a notice may answer it, and that is not due yet
public record SimulatedCall(
    String callId,
    String paymentId,
    String step,
    boolean isDone,
    Price moved,
    String detail,
    int asked,
    boolean isNoticePending) {}
