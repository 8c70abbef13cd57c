package io.holdfast.events;

import jakarta.inject.Singleton;
import java.time.Duration;

/// Whether somebody reads events here without a webhook: whoever has asked of late will ask again.
@Singleton
final class Interest {
  private static final Duration LASTS = Duration.ofSeconds(10);

  private volatile long askedAt = System.nanoTime() - LASTS.toNanos();

  boolean isThere() {
    return System.nanoTime() - askedAt < LASTS.toNanos();
  }

  /// Returns whether it is news.
  boolean isNewlyShown() {
    var isNews = !isThere();
    askedAt = System.nanoTime();
    return isNews;
  }
}
