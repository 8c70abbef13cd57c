package io.holdfast.payment;

import io.holdfast.pool.Price;

/// A call to a payment provider, as it is recorded before it is made.
///
/// @param step `authorise`, `capture`, `cancel` or `refund`
public record PaymentCallRecord(
    String provider, String callId, String paymentId, String step, String method, Price amount) {}
