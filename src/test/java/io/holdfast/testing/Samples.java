package io.holdfast.testing;

import io.holdfast.pool.EndReason;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Holds and journal lines in the format of the scripts, for tests that do not run the scripts.
public final class Samples {
  public static final String DIGEST = "1:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
  public static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123Z");
  public static final Duration LEASE = Duration.ofMinutes(10);
  public static final Duration WINDOW = Duration.ofMinutes(30);

  private Samples() {}

  /// The fence format of the scripts: the epoch in the high bits, the sequence in the low 32.
  public static Fence fence(long epoch, long sequence) {
    return new Fence(epoch << 32 | sequence);
  }

  /// A hold of one item, placed at noon by `shop` for `anna` under the token `t<sequence>`.
  public static HoldRecord aHold(long epoch, long sequence) {
    return aHold(epoch, sequence, List.of(new ItemId("A-" + sequence)));
  }

  /// The same hold with other items.
  public static HoldRecord aHold(long epoch, long sequence, List<ItemId> items) {
    return new HoldRecord(
        HoldState.HELD,
        fence(epoch, sequence),
        "0123456789abcdef",
        "shop",
        "anna",
        NOON,
        NOON.plus(LEASE),
        NOON.plus(WINDOW),
        LEASE,
        null,
        null,
        0,
        "t" + sequence,
        items,
        null,
        "",
        null);
  }

  public static HoldRecord released(HoldRecord hold, Instant at) {
    return ended(hold, HoldState.RELEASED, null, at);
  }

  public static HoldRecord expired(HoldRecord hold, EndReason reason, Instant at) {
    return ended(hold, HoldState.EXPIRED, reason, at);
  }

  public static HoldRecord confirmed(HoldRecord hold, Instant at) {
    return ended(hold, HoldState.CONFIRMED, null, at);
  }

  public static HoldRecord pinned(HoldRecord hold, long pinNo) {
    return new HoldRecord(
        hold.state(),
        hold.fence(),
        hold.salt(),
        hold.caller(),
        hold.requester(),
        hold.placedAt(),
        hold.leaseUntil(),
        hold.expiresAt(),
        hold.lease(),
        hold.endedAt(),
        hold.endReason(),
        pinNo,
        hold.token(),
        hold.items(),
        null,
        "",
        null);
  }

  private static HoldRecord ended(
      HoldRecord hold, HoldState state, @Nullable EndReason reason, Instant at) {
    return new HoldRecord(
        state,
        hold.fence(),
        hold.salt(),
        hold.caller(),
        hold.requester(),
        hold.placedAt(),
        hold.leaseUntil(),
        hold.expiresAt(),
        hold.lease(),
        at,
        reason,
        hold.pinNo(),
        hold.token(),
        hold.items(),
        null,
        "",
        null);
  }

  /// An entry of the journal with the line of a call under a token.
  public static String called(
      Instant at, String action, String token, String word, String... details) {
    return entry(at, "shop", token, action, DIGEST, "60000", word, String.join("\t", details));
  }

  /// The journal entry of a placed hold.
  public static String placed(HoldRecord hold) {
    return called(hold.placedAt(), "place_hold", hold.token(), "HELD", hold.format());
  }

  /// A journal entry that no call has caused.
  public static String swept(HoldRecord hold) {
    return entry(hold.endedAt(), "", "", "", "", "", hold.state().name(), hold.format());
  }

  private static String entry(Instant at, String... fields) {
    return "1\t%d\t0\u001e%s".formatted(at.toEpochMilli(), String.join("\t", fields));
  }
}
