package io.holdfast.events.webhook;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One try to tell a webhook of an event, as it is kept in the log.
///
/// @param attempt from 1 on
/// @param status of the answer; null if there was none
record DeliveryAttempt(
    long id,
    long webhookId,
    String pool,
    long sequence,
    long eventId,
    String type,
    int attempt,
    Outcome outcome,
    @Nullable Integer status,
    String detail,
    Instant triedAt,
    long tookMs) {

  /// What a try came to.
  enum Outcome {
    /// The receiver has it.
    DELIVERED,
    /// It was refused or not answered in time, and will be tried again.
    FAILED,
    /// The receiver wants no more events, ever.
    GONE
  }

  static final List<DeliveryAttempt> NONE = List.of();
}
