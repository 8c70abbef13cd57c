package io.holdfast.payment.notice;

import io.holdfast.pool.Price;
import org.jspecify.annotations.Nullable;

/// What a payment provider has told by itself.
///
/// @param reference the provider's name for what it did; null if it declined
/// @param moved null if it declined
public record PaymentNotice(
    String provider,
    String webhookId,
    String callId,
    String paymentId,
    boolean isDone,
    @Nullable String reference,
    @Nullable Price moved,
    @Nullable String why) {}
