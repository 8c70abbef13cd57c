package io.holdfast.postgres;

import io.holdfast.pool.Price;

/// What a payment provider was asked, as it is on record before it is asked.
///
/// @param step `authorise`, `capture`, `cancel` or `refund`
public record PaymentAsk(
    String provider, String callId, String paymentId, String step, String method, Price amount) {}
