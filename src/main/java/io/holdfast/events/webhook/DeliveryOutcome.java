package io.holdfast.events.webhook;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The outcome of sending one event to a webhook.
sealed interface DeliveryOutcome {

  /// The receiver accepted the event.
  record Delivered(int status) implements DeliveryOutcome {}

  /// The receiver refused the event, or the outcome is unknown. It is sent again under the same id.
  ///
  /// @param status of the response; null if there was none
  /// @param retryAfter the pause that the receiver asked for
  record Failed(@Nullable Integer status, String why, Optional<Duration> retryAfter)
      implements DeliveryOutcome {}

  /// The receiver wants no more events.
  record Gone() implements DeliveryOutcome {}
}
