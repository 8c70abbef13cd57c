package io.holdfast.payment.notice;

import io.holdfast.pool.Price;
import org.jspecify.annotations.Nullable;

/// A notice of a payment provider on one of our calls.
///
/// @param reference of the provider; null if it declined
/// @param moved null if it declined
record PaymentNotice(
    String provider,
    String webhookId,
    String callId,
    String paymentId,
    boolean isDone,
    @Nullable String reference,
    @Nullable Price moved,
    @Nullable String why) {}
