package io.holdfast.runtime;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Says whether a call that arrives now would wait too long, before any work is spent on it.
public interface OverloadSignal {
  /// How long a caller of this pool should wait before it asks again; null while calls are taken.
  @Nullable Duration retryAfter(String pool);
}
