package io.holdfast.events.webhook;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What telling a webhook of one event can come to.
sealed interface DeliveryOutcome {

  /// The receiver has it.
  record Delivered(int status) implements DeliveryOutcome {}

  /// It was refused, or nobody can say: it may have arrived, and is sent again under the same id.
  ///
  /// @param status of the answer; null if there was none
  /// @param retryAfter how long the receiver wants to be left alone
  record Failed(@Nullable Integer status, String why, Optional<Duration> retryAfter)
      implements DeliveryOutcome {}

  /// The receiver wants no more events, ever.
  record Gone() implements DeliveryOutcome {}
}
