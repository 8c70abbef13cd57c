package io.holdfast.hold;

import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Compensating;
import io.holdfast.hold.HoldOutcome.Confirmed;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Elapsed;
import io.holdfast.hold.HoldOutcome.Expired;
import io.holdfast.hold.HoldOutcome.Extended;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Limit;
import io.holdfast.hold.HoldOutcome.NoSuchItem;
import io.holdfast.hold.HoldOutcome.NonceConsumed;
import io.holdfast.hold.HoldOutcome.NonceUnbound;
import io.holdfast.hold.HoldOutcome.NotHeld;
import io.holdfast.hold.HoldOutcome.NotKnown;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.Pinning;
import io.holdfast.hold.HoldOutcome.Released;
import io.holdfast.hold.HoldOutcome.ReplayDuplicate;
import io.holdfast.hold.HoldOutcome.Same;
import io.holdfast.hold.HoldOutcome.StaleFence;
import io.holdfast.hold.HoldOutcome.Taken;
import io.holdfast.hold.HoldOutcome.WindowNotElapsed;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import java.time.Instant;
import java.util.List;

/// The words of the scripts and the outcomes they stand for, both ways. An outcome is kept under
/// its token as a word, a tab, and what belongs to it.
public final class OutcomeCodec {
  /// Between parts of a text that have tabs and line feeds of their own.
  public static final String SEPARATOR = "\u001e";

  private OutcomeCodec() {}

  /// @param reply a word and, behind tabs, what belongs to it
  public static TokenOutcome read(String reply) {
    var tab = reply.indexOf('\t');
    var word = tab < 0 ? reply : reply.substring(0, tab);
    var rest = tab < 0 ? "" : reply.substring(tab + 1);
    return switch (word) {
      case "REPLAY", "REFUSED" -> new TokenOutcome(parse(rest), word.equals("REPLAY"));
      case "COLLISION" -> TokenOutcome.fresh(new Collision());
      case "DRIFT" -> TokenOutcome.fresh(new Drift(rest));
      case "ABSENT" -> TokenOutcome.fresh(new Absent());
      case "PINNED" -> TokenOutcome.fresh(pinned(rest));
      case "EXTENDED" -> TokenOutcome.fresh(new Extended(HoldRecord.parse(rest)));
      default -> TokenOutcome.fresh(parse(word, rest));
    };
  }

  /// The same of a call that wants to commit: what Redis says to that is no answer yet.
  static TokenOutcome readPin(String reply) {
    var tab = reply.indexOf('\t');
    var word = tab < 0 ? reply : reply.substring(0, tab);
    return switch (word) {
      case "PINNED" -> pinning(pin(reply.substring(tab + 1)));
      case "ABSENT" -> pinning(new PinResult.Absent());
      case "NOT_HELD", "ELAPSED", "STALE_FENCE", "NOT_KNOWN" ->
          pinning(new PinResult.Refused(PinResult.Refusal.valueOf(word)));
      default -> read(reply);
    };
  }

  private static TokenOutcome pinning(PinResult intent) {
    return TokenOutcome.fresh(new Pinning(intent));
  }

  /// @param rest deadline, epoch and record
  private static PinResult pin(String rest) {
    var fields = rest.split("\t", 3);
    var deadline = Instant.ofEpochMilli(Long.parseLong(fields[0]));
    return new PinResult.Pinned(HoldRecord.parse(fields[2]), deadline, epoch(fields[1]));
  }

  /// @param rest the reason of its end, or nothing, epoch and record
  private static Pinned pinned(String rest) {
    var fields = rest.split("\t", 3);
    return new Pinned(
        HoldRecord.parse(fields[2]),
        fields[0].isEmpty() ? null : EndReason.valueOf(fields[0]),
        epoch(fields[1]));
  }

  private static Epoch epoch(String text) {
    return new Epoch(Long.parseLong(text));
  }

  static String format(Invalid refusal) {
    return "INVALID\t"
        + (refusal.field() == null ? "" : refusal.field())
        + "\t"
        + refusal.sentence();
  }

  /// @param outcome as it is kept under a token
  public static HoldOutcome parse(String outcome) {
    var tab = outcome.indexOf('\t');
    return tab < 0
        ? parse(outcome, "")
        : parse(outcome.substring(0, tab), outcome.substring(tab + 1));
  }

  private static HoldOutcome parse(String word, String rest) {
    return switch (word) {
      case "HELD" -> new Held(HoldRecord.parse(rest));
      case "SAME" -> new Same(HoldRecord.parse(rest));
      case "RELEASED" -> new Released(HoldRecord.parse(rest));
      case "EXPIRED" -> new Expired(HoldRecord.parse(rest));
      case "TAKEN" -> new Taken(rest.isEmpty() ? List.of() : List.of(rest.split("\n")));
      case "NO_SUCH_ITEM" -> new NoSuchItem(List.of(rest.split("\n")));
      case "LIMIT" -> new Limit(Integer.parseInt(rest));
      case "INVALID" -> invalid(rest);
      case "NOT_HELD" -> new NotHeld();
      case "NOT_KNOWN" -> new NotKnown();
      case "WINDOW_NOT_ELAPSED" -> new WindowNotElapsed();
      case "CONFIRMED" -> new Confirmed(HoldRecord.parse(rest));
      case "ELAPSED" -> new Elapsed();
      case "STALE_FENCE" -> new StaleFence();
      case "REPLAY_DUPLICATE" -> new ReplayDuplicate();
      case "NONCE_UNBOUND" -> new NonceUnbound();
      case "NONCE_CONSUMED" -> new NonceConsumed();
      case "COMPENSATING" -> new Compensating();
      default -> throw new IllegalStateException("a script answered " + word + " " + rest);
    };
  }

  private static Invalid invalid(String rest) {
    var tab = rest.indexOf('\t');
    var field = rest.substring(0, tab);
    return new Invalid(field.isEmpty() ? null : field, rest.substring(tab + 1));
  }
}
