package io.holdfast.runtime;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Whether a call that arrives now would wait too long, before any work is spent on it.
public interface OverloadSignal {
  /// How long a caller of this pool should wait before the next try; null while calls are accepted.
  @Nullable Duration retryAfter(String pool);
}
