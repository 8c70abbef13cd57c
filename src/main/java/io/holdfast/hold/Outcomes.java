package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Elapsed;
import io.holdfast.hold.HoldOutcome.Expired;
import io.holdfast.hold.HoldOutcome.Extended;
import io.holdfast.hold.HoldOutcome.Held;
import io.holdfast.hold.HoldOutcome.Invalid;
import io.holdfast.hold.HoldOutcome.Limit;
import io.holdfast.hold.HoldOutcome.NoSuchItem;
import io.holdfast.hold.HoldOutcome.NotHeld;
import io.holdfast.hold.HoldOutcome.NotKnown;
import io.holdfast.hold.HoldOutcome.Released;
import io.holdfast.hold.HoldOutcome.Same;
import io.holdfast.hold.HoldOutcome.StaleFence;
import io.holdfast.hold.HoldOutcome.Taken;
import io.holdfast.hold.HoldOutcome.WindowNotElapsed;
import io.holdfast.pool.HoldRecord;
import java.util.List;

/// The words of the scripts and the outcomes they stand for, both ways. An outcome is kept under
/// its token as a word, a tab, and what belongs to it.
final class Outcomes {
  private Outcomes() {}

  static Decision read(List<Object> reply) {
    var word = (String) reply.getFirst();
    var rest = reply.size() > 1 ? (String) reply.get(1) : "";
    return switch (word) {
      case "REPLAY", "REFUSED" -> new Decision(parse(rest), word.equals("REPLAY"));
      case "COLLISION" -> Decision.fresh(new Collision());
      case "DRIFT" -> Decision.fresh(new Drift(rest));
      case "ABSENT" -> Decision.fresh(new Absent());
      case "ELAPSED" -> Decision.fresh(new Elapsed());
      case "STALE_FENCE" -> Decision.fresh(new StaleFence());
      case "EXTENDED" -> Decision.fresh(new Extended(HoldRecord.parse(rest)));
      default -> Decision.fresh(parse(word, rest));
    };
  }

  static String format(Invalid refusal) {
    return "INVALID\t"
        + (refusal.field() == null ? "" : refusal.field())
        + "\t"
        + refusal.sentence();
  }

  private static HoldOutcome parse(String outcome) {
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
      case "TAKEN" -> new Taken(List.of(rest.split("\n")));
      case "NO_SUCH_ITEM" -> new NoSuchItem(List.of(rest.split("\n")));
      case "LIMIT" -> new Limit(Integer.parseInt(rest));
      case "INVALID" -> invalid(rest);
      case "NOT_HELD" -> new NotHeld();
      case "NOT_KNOWN" -> new NotKnown();
      case "WINDOW_NOT_ELAPSED" -> new WindowNotElapsed();
      default -> throw new IllegalStateException("a script answered " + word + " " + rest);
    };
  }

  private static Invalid invalid(String rest) {
    var tab = rest.indexOf('\t');
    var field = rest.substring(0, tab);
    return new Invalid(field.isEmpty() ? null : field, rest.substring(tab + 1));
  }
}
