package io.holdfast.pool;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The rules of one pool. Refuses what cannot be meant, in one sentence that names the field as
/// clients know it.
///
/// @param lease how long Redis keeps a hold without a heartbeat
/// @param window how long a hold lasts at most
/// @param idempotencyWindow how long the outcome of a token is replayed
public record PoolPolicy(
    Duration lease,
    Duration window,
    Duration heartbeat,
    int maxItemsPerHold,
    int maxHoldsPerRequester,
    Duration idempotencyWindow,
    String currency,
    boolean requireNonce,
    boolean waitingRoom) {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration WINDOW = Duration.ofMinutes(30);
  private static final Duration HEARTBEAT = Duration.ofMinutes(2);
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  public PoolPolicy {
    unlessBetween("leaseSeconds", SECOND, DAY, lease);
    unlessBetween("windowSeconds", SECOND, Duration.ofDays(7), window);
    unlessBetween("leaseSeconds", SECOND, window, lease);
    unlessBetween("heartbeatSeconds", SECOND, lease, heartbeat);
    unlessBetween("idempotencyWindowSeconds", SECOND, DAY, idempotencyWindow);
    unlessBetween("maxItemsPerHold", 1, 100, maxItemsPerHold);
    unlessBetween("maxHoldsPerRequester", 1, 10_000, maxHoldsPerRequester);
    if (!CURRENCY.matcher(currency).matches()) {
      throw new IllegalArgumentException("currency must be three capital letters");
    }
  }

  public static PoolPolicy of(PoolKind kind) {
    return of(kind, Wishes.NONE);
  }

  /// What is not wished for is given by the kind of pool, and follows what is wished for where the
  /// usual value would contradict it.
  public static PoolPolicy of(PoolKind kind, Wishes wishes) {
    var usual = leaseOf(kind);
    var lease =
        seconds(
            wishes.leaseSeconds,
            shorter(longer(seconds(wishes.windowSeconds, usual), SECOND), usual));
    return new PoolPolicy(
        lease,
        seconds(wishes.windowSeconds, longer(lease, WINDOW)),
        seconds(wishes.heartbeatSeconds, shorter(lease, HEARTBEAT)),
        or(wishes.maxItemsPerHold, 8),
        or(wishes.maxHoldsPerRequester, 4),
        seconds(wishes.idempotencyWindowSeconds, Duration.ofMinutes(1)),
        or(wishes.currency, "EUR"),
        or(wishes.requireNonce, false),
        or(wishes.waitingRoom, false));
  }

  /// What somebody who creates a pool has said; null where nothing was said.
  public record Wishes(
      @Nullable Long leaseSeconds,
      @Nullable Long windowSeconds,
      @Nullable Long heartbeatSeconds,
      @Nullable Integer maxItemsPerHold,
      @Nullable Integer maxHoldsPerRequester,
      @Nullable Long idempotencyWindowSeconds,
      @Nullable String currency,
      @Nullable Boolean requireNonce,
      @Nullable Boolean waitingRoom) {

    public static final Wishes NONE =
        new Wishes(null, null, null, null, null, null, null, null, null);
  }

  private static Duration leaseOf(PoolKind kind) {
    return switch (kind) {
      case SEATS, UNIQUE -> Duration.ofSeconds(600);
      case STOCK -> Duration.ofSeconds(900);
      case AUCTION -> Duration.ofSeconds(300);
    };
  }

  private static Duration seconds(@Nullable Long wish, Duration otherwise) {
    return wish == null ? otherwise : Duration.ofSeconds(wish);
  }

  private static <T> T or(@Nullable T wish, T otherwise) {
    return wish == null ? otherwise : wish;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static void unlessBetween(String field, Duration least, Duration most, Duration value) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw outside(field, least.toSeconds(), most.toSeconds(), value.toSeconds());
    }
  }

  private static void unlessBetween(String field, int least, int most, int value) {
    if (value < least || value > most) {
      throw outside(field, least, most, value);
    }
  }

  private static IllegalArgumentException outside(String field, long least, long most, long value) {
    return new IllegalArgumentException(
        "%s must lie between %d and %d, was %d".formatted(field, least, most, value));
  }
}
