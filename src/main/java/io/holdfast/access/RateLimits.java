package io.holdfast.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import jakarta.inject.Singleton;
import java.time.Duration;

/// A token bucket for each caller: so many requests a second, and as many in one burst. The limit
/// keeps one caller from crowding out the others. Each instance counts for itself.
@Singleton
final class RateLimits {
  private static final int BUCKETS_MAX = 10_000;

  /// A bucket is full again after a second without requests. A new one is just as full.
  private static final Duration UNUSED_MAX = Duration.ofSeconds(2);

  private final int rate;
  private final String policy;

  /// Evicts on the thread that adds a caller, so the limit holds at once.
  private final Cache<String, Bucket> buckets =
      Caffeine.newBuilder()
          .maximumSize(BUCKETS_MAX)
          .expireAfterAccess(UNUSED_MAX)
          .executor(Runnable::run)
          .build();

  RateLimits(AccessSettings settings) {
    this.rate = settings.rateLimit();
    this.policy = "\"default\";q=" + rate + ";w=1";
  }

  boolean areOff() {
    return rate == 0;
  }

  RateLimitResult take(Caller caller) {
    var bucket = buckets.get(caller.name(), _ -> fullBucket());
    return new RateLimitResult(policy, bucket.tryConsumeAndReturnRemaining(1));
  }

  long size() {
    return buckets.estimatedSize();
  }

  private Bucket fullBucket() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(rate).refillGreedy(rate, Duration.ofSeconds(1)))
        .withNanosecondPrecision()
        .build();
  }
}
