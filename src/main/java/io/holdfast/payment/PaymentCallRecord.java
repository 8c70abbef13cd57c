package io.holdfast.payment;

import io.holdfast.pool.Price;

/// What a payment provider was asked, as it is on record before it is asked.
///
/// @param step `authorise`, `capture`, `cancel` or `refund`
public record PaymentCallRecord(
    String provider, String callId, String paymentId, String step, String method, Price amount) {}
