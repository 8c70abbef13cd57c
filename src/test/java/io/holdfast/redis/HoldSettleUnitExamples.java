package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.HoldSettleExamples.WINDOW;
import static io.holdfast.redis.HoldSettleExamples.call;
import static io.holdfast.redis.HoldSettleExamples.line;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Of a pool of units. The entry tells how many units are sold; the hold tells how many it gives
/// back.
final class HoldSettleUnitExamples implements ScriptExamples {
  private static final AHold WITHOUT_HOLD = aHold(3, "A-1", "A-2").pinned(1);

  @Override
  public String script() {
    return "hold/settle";
  }

  @Override
  public List<ScriptExample> examples() {
    var hold = aHoldOf(3, 3).pinned(1);
    var sold = aHoldOf(3, 2).pinned(1).ended("CONFIRMED", "");
    var other = aHoldOf(4, 1).pinned(1);
    var otherSold = other.ended("CONFIRMED", "");
    var released = hold.ended("RELEASED", "");
    var open = Arena.stock("4 2/10").with(hold, other);
    var numbers = "HMGET %s item:stock held sold version lines".formatted(Arena.META);
    return List.of(
        settle("a sale of two units of three", "CONFIRMED\t" + sold.text(), sold, "5 4/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(hold.record(), sold.text())
            .leaving(other.record(), other.text())
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(numbers, "5 4/10, 1, 4, 22, 41")
            .leaving("EXISTS " + Arena.FREED, "0")
            .leaving(Arena.token("tok-1"), Arena.entry("confirm", "CONFIRMED\t" + sold.text()))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("tok-1", "CONFIRMED\t" + sold.text()))),
        settle("a sale of units of which Redis knows, but not its end", "", sold, "4 2/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(hold.record(), sold.text())
            .leaving(numbers, "4 2/10, 1, 2, 21, 41"),
        settle("a sale of units that is older than the stock", "", sold, "3 9/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(numbers, "4 2/10, 1, 2, 21, 41"),
        settle("a sale of units that was settled before", "", sold, "4 2/10")
            .after(Arena.stock("4 2/10").with(sold, other).commands())
            .answers("SETTLED")
            .leaving(hold.record(), sold.text())
            .leaving(numbers, "4 2/10, 1, 2, 20, 40")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        settle("an older stock without a hold", "", null, "3 9/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(numbers, "4 2/10, 4, 2, 20, 40")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        settle("units that were voided", "", null, "5 0/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(numbers, "5 0/10, 4, 0, 21, 40")
            .leaving("EXISTS %s %s".formatted(Arena.FREED, Arena.JOURNAL), "0"),
        settle("another capacity", "", null, "5 2/20")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(numbers, "5 2/20, 4, 2, 21, 40"),
        settle("a release of units that Postgres had to decide", "", released, "4 2/10")
            .after(open.commands())
            .answers("SETTLED")
            .leaving(hold.record(), released.text())
            .leaving(numbers, "4 2/10, 1, 2, 21, 41"),
        settle("two sales of units, the later one first, and once more", "", otherSold, "6 5/10")
            .andCalls(call("tok-2", WINDOW, "", hold, sold.text(), "stock", "5 4/10"))
            .andCalls(call("tok-3", WINDOW, "", hold, sold.text(), "stock", "5 4/10"))
            .after(open.commands())
            .answers("SETTLED")
            .andAnswers("SETTLED")
            .andAnswers("SETTLED")
            .leaving(hold.record(), sold.text())
            .leaving(other.record(), otherSold.text())
            .leaving(numbers, "6 5/10, 0, 5, 23, 42")
            .leaving(Arena.REQUESTERS, ""));
  }

  private static ScriptExample settle(
      String title, String outcome, @Nullable AHold ended, String stock) {
    var fence = ended == null ? WITHOUT_HOLD : ended;
    var record = ended == null ? "" : ended.text();
    return example(title)
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", WINDOW, outcome, fence, record, "stock", stock));
  }
}
