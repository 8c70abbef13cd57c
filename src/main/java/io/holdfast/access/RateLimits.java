package io.holdfast.access;

import io.github.bucket4j.Bucket;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// So many requests a second for each caller on this instance, and as many at once. The limit keeps
/// one caller from crowding out the others; it is no promise across instances.
@Singleton
final class RateLimits {
  private static final int BUCKETS_MAX = 10_000;

  private final int rate;
  private final String policy;
  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

  RateLimits(AccessSettings settings) {
    this.rate = settings.rateLimit();
    this.policy = "\"default\";q=" + rate + ";w=1";
  }

  boolean areOff() {
    return rate == 0;
  }

  RateLimitResult take(Caller caller) {
    var bucket = buckets.get(caller.name());
    if (bucket == null) {
      makeRoom();
      bucket = buckets.computeIfAbsent(caller.name(), _ -> full());
    }
    return new RateLimitResult(policy, bucket.tryConsumeAndReturnRemaining(1));
  }

  int size() {
    return buckets.size();
  }

  /// A full bucket can go: a new one is just as full. If that is not enough, all go, which gives
  /// everybody a fresh start once in ten thousand callers.
  private void makeRoom() {
    if (buckets.size() >= BUCKETS_MAX) {
      buckets.values().removeIf(bucket -> bucket.getAvailableTokens() >= rate);
    }
    if (buckets.size() >= BUCKETS_MAX) {
      buckets.clear();
    }
  }

  private Bucket full() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(rate).refillGreedy(rate, Duration.ofSeconds(1)))
        .withNanosecondPrecision()
        .build();
  }
}
