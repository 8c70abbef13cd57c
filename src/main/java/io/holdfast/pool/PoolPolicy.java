package io.holdfast.pool;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The rules of one pool. Refuses invalid values with a sentence that names the field of the API.
///
/// @param lease how long Redis keeps a hold without a heartbeat
/// @param window how long a hold lasts at most
/// @param idempotencyWindow how long the outcome of a token is replayed
/// @param waitingRoom null for a pool that takes holds of everybody
/// @param commitWindow the same for tokens of confirms, checkouts and their reversals
/// @param maxItemsPerRequester how many items or units a requester may have, held and bought
///   together; null for no limit
public record PoolPolicy(
    Duration lease,
    Duration window,
    Duration heartbeat,
    int maxItemsPerHold,
    int maxHoldsPerRequester,
    Duration idempotencyWindow,
    String currency,
    boolean requireNonce,
    @Nullable WaitingRoom waitingRoom,
    ReversalTerms reversal,
    Duration commitWindow,
    @Nullable Integer maxItemsPerRequester) {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration WINDOW_MAX = Duration.ofDays(7);
  private static final Duration WINDOW = Duration.ofMinutes(30);
  private static final Duration IDEMPOTENCY_WINDOW = Duration.ofMinutes(10);
  private static final Duration HEARTBEAT = Duration.ofMinutes(2);
  private static final int HOLDS_MAX = 1_000_000;
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  public PoolPolicy {
    unlessBetween("leaseSeconds", SECOND, DAY, lease);
    unlessBetween("windowSeconds", SECOND, WINDOW_MAX, window);
    unlessBetween("leaseSeconds", SECOND, window, lease);
    unlessBetween("heartbeatSeconds", SECOND, lease, heartbeat);
    unlessBetween("idempotencyWindowSeconds", SECOND, DAY, idempotencyWindow);
    unlessBetween("commitWindowSeconds", SECOND, WINDOW_MAX, commitWindow);
    unlessBetween("maxItemsPerHold", 1, 100, maxItemsPerHold);
    unlessBetween("maxHoldsPerRequester", 1, HOLDS_MAX, maxHoldsPerRequester);
    if (maxItemsPerRequester != null) {
      unlessBetween("maxItemsPerRequester", 1, HOLDS_MAX, maxItemsPerRequester);
    }
    if (!CURRENCY.matcher(currency).matches()) {
      throw new IllegalArgumentException("currency must be three capital letters");
    }
  }

  public static PoolPolicy of(PoolKind kind) {
    return of(kind, Overrides.NONE);
  }

  /// Fills missing values with the defaults of the kind, adapted where a default would contradict a
  /// given value.
  public static PoolPolicy of(PoolKind kind, Overrides overrides) {
    var usual = leaseOf(kind);
    var lease =
        seconds(
            overrides.leaseSeconds,
            shorter(longer(seconds(overrides.windowSeconds, usual), SECOND), usual));
    return new PoolPolicy(
        lease,
        seconds(overrides.windowSeconds, longer(lease, windowOf(kind))),
        seconds(overrides.heartbeatSeconds, shorter(lease, HEARTBEAT)),
        or(overrides.maxItemsPerHold, 8),
        or(overrides.maxHoldsPerRequester, kind == PoolKind.UNIQUE ? HOLDS_MAX : 4),
        seconds(overrides.idempotencyWindowSeconds, IDEMPOTENCY_WINDOW),
        or(overrides.currency, "EUR"),
        or(overrides.requireNonce, false),
        room(kind, overrides),
        overrides.reversal.terms(),
        seconds(overrides.commitWindowSeconds, DAY),
        itemsMax(kind, overrides));
  }

  /// The values that were given when the pool was created; null for the default.
  public record Overrides(
      @Nullable Long leaseSeconds,
      @Nullable Long windowSeconds,
      @Nullable Long heartbeatSeconds,
      @Nullable Integer maxItemsPerHold,
      @Nullable Integer maxHoldsPerRequester,
      @Nullable Long idempotencyWindowSeconds,
      @Nullable String currency,
      @Nullable Boolean requireNonce,
      @Nullable Boolean waitingRoom,
      WaitingRoom.Fields room,
      ReversalTerms.Fields reversal,
      @Nullable Long commitWindowSeconds,
      @Nullable Integer maxItemsPerRequester) {

    public static final Overrides NONE =
        new Overrides(null, null, null, null, null, null, null, null, null);

    /// These values where they are given, and otherwise those of a policy that is to be changed. A
    /// waiting room that is given up leaves no values.
    public Overrides over(Overrides base) {
      var hasRoom = or(waitingRoom, or(base.waitingRoom, false));
      return new Overrides(
          either(leaseSeconds, base.leaseSeconds),
          either(windowSeconds, base.windowSeconds),
          either(heartbeatSeconds, base.heartbeatSeconds),
          either(maxItemsPerHold, base.maxItemsPerHold),
          either(maxHoldsPerRequester, base.maxHoldsPerRequester),
          either(idempotencyWindowSeconds, base.idempotencyWindowSeconds),
          either(currency, base.currency),
          either(requireNonce, base.requireNonce),
          hasRoom,
          hasRoom ? room.over(base.room) : room,
          reversal.over(base.reversal),
          either(commitWindowSeconds, base.commitWindowSeconds),
          either(maxItemsPerRequester, base.maxItemsPerRequester));
    }

    /// With the defaults of a waiting room, if there is one, and of reversals.
    public Overrides(
        @Nullable Long leaseSeconds,
        @Nullable Long windowSeconds,
        @Nullable Long heartbeatSeconds,
        @Nullable Integer maxItemsPerHold,
        @Nullable Integer maxHoldsPerRequester,
        @Nullable Long idempotencyWindowSeconds,
        @Nullable String currency,
        @Nullable Boolean requireNonce,
        @Nullable Boolean waitingRoom) {
      this(
          leaseSeconds,
          windowSeconds,
          heartbeatSeconds,
          maxItemsPerHold,
          maxHoldsPerRequester,
          idempotencyWindowSeconds,
          currency,
          requireNonce,
          waitingRoom,
          WaitingRoom.Fields.NONE,
          ReversalTerms.Fields.NONE,
          null,
          null);
    }
  }

  /// How the sales of a pool are reversed.
  ///
  /// @param compensate who undoes a sale that failed its verification
  /// @param refundFeeCents kept of each item that is refunded
  /// @param refundWithin the time after a sale in which it is refunded; null for no limit
  public record ReversalTerms(
      Compensate compensate, long refundFeeCents, @Nullable Duration refundWithin) {
    private static final long CENTS_MAX = 1_000_000_000_000L;
    private static final Duration WITHIN_MAX = Duration.ofDays(3_650);

    public ReversalTerms {
      if (refundFeeCents < 0 || refundFeeCents > CENTS_MAX) {
        throw outside("refundFeeCents", 0, CENTS_MAX, refundFeeCents);
      }
      if (refundWithin != null) {
        unlessBetween("refundWithinSeconds", SECOND, WITHIN_MAX, refundWithin);
      }
    }

    public enum Compensate {
      /// An operator, with a nonce.
      MANUAL,
      /// The service, by itself.
      AUTOMATIC
    }

    /// The values of a request or of a stored policy; null for the default.
    public record Fields(
        @Nullable String compensate,
        @Nullable Long refundFeeCents,
        @Nullable Long refundWithinSeconds) {
      static final Fields NONE = new Fields(null, null, null);

      Fields over(Fields base) {
        return new Fields(
            either(compensate, base.compensate),
            either(refundFeeCents, base.refundFeeCents),
            either(refundWithinSeconds, base.refundWithinSeconds));
      }

      /// A zero is no limit of the time.
      ReversalTerms terms() {
        var within = or(refundWithinSeconds, 0L);
        return new ReversalTerms(
            compensate == null ? Compensate.MANUAL : Compensate.valueOf(compensate),
            or(refundFeeCents, 0L),
            within == 0 ? null : Duration.ofSeconds(within));
      }
    }
  }

  private static @Nullable WaitingRoom room(PoolKind kind, Overrides overrides) {
    var isWanted = or(overrides.waitingRoom, false);
    if (isWanted && kind != PoolKind.SEATS && kind != PoolKind.STOCK) {
      throw new IllegalArgumentException("waitingRoom is allowed for SEATS and STOCK only");
    }
    return overrides.room.room(isWanted);
  }

  /// A zero is no limit.
  private static @Nullable Integer itemsMax(PoolKind kind, Overrides overrides) {
    var most = or(overrides.maxItemsPerRequester, 0);
    if (most == 0) {
      return null;
    }
    if (kind == PoolKind.AUCTION) {
      throw new IllegalArgumentException("maxItemsPerRequester is not allowed in an auction");
    }
    return most;
  }

  private static Duration leaseOf(PoolKind kind) {
    return switch (kind) {
      case SEATS, UNIQUE -> Duration.ofSeconds(600);
      case STOCK -> Duration.ofSeconds(900);
      case AUCTION -> Duration.ofSeconds(300);
    };
  }

  /// A bid may last as long as its holder sends heartbeats.
  private static Duration windowOf(PoolKind kind) {
    return switch (kind) {
      case SEATS, STOCK -> WINDOW;
      case UNIQUE -> DAY;
      case AUCTION -> WINDOW_MAX;
    };
  }

  private static Duration seconds(@Nullable Long given, Duration otherwise) {
    return given == null ? otherwise : Duration.ofSeconds(given);
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }

  static <T> @Nullable T either(@Nullable T given, @Nullable T otherwise) {
    return given == null ? otherwise : given;
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
