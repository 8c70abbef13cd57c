package io.holdfast.hold;

import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Counted;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Extended;
import io.holdfast.hold.HoldOutcome.HeldAdjacent;
import io.holdfast.hold.HoldOutcome.HoldsRead;
import io.holdfast.hold.HoldOutcome.PinTried;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.PoolChanged;
import io.holdfast.hold.HoldOutcome.SearchOn;
import io.holdfast.hold.HoldOutcome.SeatsSeen;
import io.holdfast.hold.HoldOutcome.TokenFound;
import io.holdfast.hold.HoldOutcome.TokenNotFound;
import io.holdfast.hold.HoldOutcome.Unseeded;
import io.holdfast.hold.HoldScripts.Applied;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.seeding.PoolScripts.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Reads the replies of the scripts in `redis-scripts/hold/`: a word, a tab, and the details. Any
/// script may also reply UNSEEDED.
public final class HoldReplies {
  /// Divides parts of a text that contain tabs and line feeds.
  static final String SEPARATOR = "\u001e";

  private static final String HELD = "HELD";
  private static final int TOKEN_FIELDS = 5;

  private HoldReplies() {}

  private record Reply(String word, String details) {
    static Reply of(String text) {
      var tab = text.indexOf('\t');
      return tab < 0
          ? new Reply(text, "")
          : new Reply(text.substring(0, tab), text.substring(tab + 1));
    }

    String[] fields(int count) {
      return details.split("\t", count);
    }
  }

  /// Of `place`, `release`, `expire`, `refuse`, `extend`, and of tickets that join or leave.
  public static HoldOutcome read(String text) {
    var reply = Reply.of(text);
    return switch (reply.word) {
      case "UNSEEDED" -> new Unseeded(reply.details);
      case "REPLAY" -> new Decided(OutcomeCodec.parse(reply.details), true);
      case "REFUSED" -> new Decided(OutcomeCodec.parse(reply.details));
      case "COLLISION" -> new Collision();
      case "DRIFT" -> new Drift(reply.details);
      case "ABSENT" -> new Absent();
      case "PINNED" -> pinned(reply);
      case "EXTENDED" -> new Extended(HoldRecord.parse(reply.details));
      default -> new Decided(OutcomeCodec.parse(text));
    };
  }

  /// Fields: the reason of its end or nothing, the epoch and the record.
  private static Pinned pinned(Reply reply) {
    var fields = reply.fields(3);
    return new Pinned(
        HoldRecord.parse(fields[2]),
        fields[0].isEmpty() ? null : EndReason.valueOf(fields[0]),
        epoch(fields[1]));
  }

  /// Of `pin`. Postgres decides on the call, so a refusal is only an input of the transaction.
  static HoldOutcome readPin(String text) {
    var reply = Reply.of(text);
    return switch (reply.word) {
      case "PINNED" -> new PinTried(pin(reply));
      case "ABSENT" -> new PinTried(new PinResult.Absent());
      case "NOT_HELD", "ELAPSED", "CLOSING", "STALE_FENCE", "NOT_KNOWN", "AUCTION_OPEN" ->
          new PinTried(new PinResult.Refused(Reason.valueOf(reply.word)));
      default -> read(text);
    };
  }

  /// Fields: the deadline, the epoch and the record.
  private static PinResult pin(Reply reply) {
    var fields = reply.fields(3);
    return new PinResult.Pinned(HoldRecord.parse(fields[2]), moment(fields[0]), epoch(fields[1]));
  }

  /// Of `best`. HELD and NEXT are followed by what the script has seen.
  static HoldOutcome readBest(String text) {
    var parts = text.split(SEPARATOR, -1);
    var reply = Reply.of(parts[0]);
    return switch (reply.word) {
      case "NEXT" -> new SearchOn(seen(parts));
      case "CHANGED" -> new PoolChanged(Long.parseLong(reply.details));
      case HELD -> new HeldAdjacent(HoldRecord.parse(reply.details), seen(parts));
      default -> read(text);
    };
  }

  private static SeatsSeen seen(String[] parts) {
    var bits = parts[3].isEmpty() ? List.<String>of() : List.of(parts[3].split(","));
    return new SeatsSeen(parts[1], parts[2], bits);
  }

  /// Of `read`: HOLDS and the time, then the records.
  static HoldOutcome readHolds(String text) {
    var parts = text.split(SEPARATOR, -1);
    var reply = Reply.of(parts[0]);
    if (!reply.word.equals("HOLDS")) {
      return read(text);
    }
    var records = Stream.of(parts).skip(1).filter(record -> !record.isEmpty());
    return new HoldsRead(moment(reply.details), records.map(HoldRecord::parse).toList());
  }

  static HoldOutcome ofCount(Count count) {
    return switch (count) {
      case Count.Counts(var counts) -> new Counted(counts);
      case Count.NotOpen(var why) -> new Unseeded(why);
    };
  }

  /// Of `lookup`: SPENT and the entry (time, action, digest, outcome), then the record of the hold,
  /// if the entry has only its fence and salt.
  static HoldOutcome readToken(String text) {
    var separator = text.lastIndexOf(SEPARATOR);
    var reply = Reply.of(separator < 0 ? text : text.substring(0, separator));
    return switch (reply.word) {
      case "SPENT" -> token(reply.fields(TOKEN_FIELDS), text.substring(separator + 1));
      case "UNSPENT" -> new TokenNotFound();
      default -> read(text);
    };
  }

  /// A hold that is gone from Redis is in Postgres by then, and so is the token.
  private static HoldOutcome token(String[] entry, String record) {
    var at = moment(entry[0]);
    var action = TokenAction.of(entry[1]);
    var version = EntryVersion.of(Digest.version(entry[2])).orElse(EntryVersion.NEWEST);
    var word = entry[3];
    var details = entry.length == TOKEN_FIELDS ? entry[TOKEN_FIELDS - 1] : "";
    if (word.equals("RUNNING")) {
      return new TokenFound(action, version, null, at);
    }
    var isShort = word.equals(HELD) && details.split("\t").length <= 2;
    if (isShort && record.isEmpty()) {
      return new TokenNotFound();
    }
    StoredOutcome outcome =
        isShort
            ? new Held(HoldRecord.parse(record).asPlaced())
            : OutcomeCodec.parse(word + "\t" + details);
    return new TokenFound(action, version, outcome, at);
  }

  /// Of `settle`, `unpin` and `keep`.
  static Applied readApplied(String text) {
    return switch (Reply.of(text).word) {
      case "SETTLED", "UNPINNED", "KEPT" -> Applied.YES;
      case "OTHER" -> Applied.OTHER_PIN;
      case "UNSEEDED" -> Applied.UNSEEDED;
      case String other -> throw new IllegalArgumentException("a script replied " + other);
    };
  }

  /// The result of `sweep`.
  sealed interface Sweep {
    /// @param nextDue when there is something to sweep again, in ms; empty if never
    /// @param lags how long after its lease each hold was ended
    record Swept(String nextDue, List<Duration> lags, List<PinnedHold> pinned) implements Sweep {}

    record NotOpen(String why) implements Sweep {}
  }

  /// A hold that is due and that only Postgres may end.
  record PinnedHold(HoldRecord hold, Epoch epoch) {}

  static Sweep readSweep(List<String> texts) {
    var head = Reply.of(texts.getFirst());
    if (!head.word.equals("SWEPT")) {
      return new Sweep.NotOpen(head.details);
    }
    var lags = new ArrayList<Duration>();
    var pinned = new ArrayList<PinnedHold>();
    for (var text : texts.subList(1, texts.size())) {
      var reply = Reply.of(text);
      if (reply.word.equals("PINNED")) {
        var fields = reply.fields(2);
        pinned.add(new PinnedHold(HoldRecord.parse(fields[1]), epoch(fields[0])));
      } else {
        lags.add(Duration.ofMillis(Long.parseLong(reply.details)));
      }
    }
    return new Sweep.Swept(head.details, lags, pinned);
  }

  private static Epoch epoch(String text) {
    return new Epoch(Long.parseLong(text));
  }

  private static Instant moment(String text) {
    return Instant.ofEpochMilli(Long.parseLong(text));
  }
}
