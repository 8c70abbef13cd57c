package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

final class HoldSettleExamples implements ScriptExamples {
  private static final String WINDOW = String.valueOf(Arena.WINDOW_MS);
  private static final AHold PINNED = aHold(3, "A-1", "A-2").pinned(1);
  private static final String SOLD = PINNED.ended("CONFIRMED", "").text();
  private static final String RUNNING =
      "confirm\t%s\tRUNNING\t%d".formatted(DIGEST, AHold.FAR_AHEAD);

  @Override
  public String script() {
    return "hold/settle";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(sold(), again(), regranted(), relayed(), refusal(), released(), older(), lost()),
        List.of(several(PINNED, aHold(4, "A-4").pinned(1)), several(PINNED, PINNED)),
        units(),
        List.of(inTime(), late(), behindTheNote(), sameItem(), ofAdmitted()),
        CommonExamples.ofUnseeded(title -> settle(title, "CONFIRMED\t" + SOLD, SOLD)));
  }

  private static ScriptExample sold() {
    return settle("a sale", "CONFIRMED\t" + SOLD, SOLD, "A-1", "1 SOLD", "A-2", "1 SOLD")
        .after(Arena.open().with(PINNED, aHold(4, "A-4")).spent("tok-1", RUNNING).commands())
        .answers("SETTLED")
        .leaving(PINNED.record(), SOLD)
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "CONFIRMED\t" + SOLD))
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving("HMGET %s item:A-1 item:A-2".formatted(Arena.META), "1 SOLD, 1 SOLD")
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving("HMGET %s held sold version".formatted(Arena.META), "1, 2, 23")
        .leaving("EXISTS " + Arena.FREED, "0")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(Arena.ENTRIES, Arena.entryOf(line("tok-1", "CONFIRMED\t" + SOLD)));
  }

  private static ScriptExample ofAdmitted() {
    var inside = Arena.key("inside");
    var choosing = Arena.key("choosing");
    return settle("a sale to a requester who is inside after the waiting room", "", SOLD)
        .after(
            Arena.open()
                .with(PINNED)
                .having(
                    "HSET %s shop\tu1 77".formatted(Arena.key("queued")),
                    "ZADD %s 1 77 1 78".formatted(inside),
                    "ZADD %s 1 77 1 78".formatted(choosing))
                .commands())
        .answers("SETTLED")
        .leaving("ZRANGE %s 0 -1".formatted(inside), "78")
        .leaving("ZRANGE %s 0 -1".formatted(choosing), "78");
  }

  private static ScriptExample regranted() {
    var theirs = String.valueOf(Arena.fence(9));
    return settle("a sale whose hold has lost an item to somebody else here", "", SOLD)
        .after(
            Arena.open()
                .with(PINNED)
                .having("SET %s %s".formatted(Arena.item("A-2"), theirs))
                .commands())
        .answers("SETTLED")
        .leaving("GET " + Arena.item("A-2"), theirs)
        .leaving("EXISTS " + Arena.item("A-1"), "0");
  }

  private static ScriptExample again() {
    return settle("a sale of which the hold knows already", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().with(PINNED.ended("CONFIRMED", "")).commands())
        .answers("SETTLED")
        .leaving("HGET %s item:A-1".formatted(Arena.META), "1 SOLD")
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample relayed() {
    return settle("a sale whose caller is not known any more", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), "nothing")
        .leaving(Arena.ENTRIES, Arena.entryOf(Arena.UNCAUSED + "CONFIRMED\t" + SOLD));
  }

  private static ScriptExample refusal() {
    return settle("a refusal", "NONCE_UNBOUND\t", "")
        .after(Arena.open().with(PINNED).spent("tok-1", RUNNING).commands())
        .answers("SETTLED")
        .leaving(PINNED.record(), PINNED.text())
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "NONCE_UNBOUND\t"))
        .leaving(Arena.ENTRIES, Arena.entryOf(line("tok-1", "NONCE_UNBOUND\t")));
  }

  private static ScriptExample released() {
    var ended = PINNED.ended("RELEASED", "").text();
    return settle("a release that Postgres had to decide", "", ended)
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(PINNED.record(), ended)
        .leaving(Arena.REQUESTERS, "")
        .leaving("HMGET %s held version".formatted(Arena.META), "0, 21");
  }

  private static ScriptExample older() {
    return settle("an item of which a higher version is there", "", "", "A-3", "4 SOLD")
        .after(Arena.open().commands())
        .answers("SETTLED")
        .leaving("HGET %s item:A-3".formatted(Arena.META), "5");
  }

  private static ScriptExample lost() {
    return settle("a sale of a hold that this memory has lost", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().commands())
        .answers("SETTLED")
        .leaving("EXISTS %s %s".formatted(Arena.HOLDS, Arena.JOURNAL), "0")
        .leaving("HGET %s item:A-1".formatted(Arena.META), "1 SOLD");
  }

  /// The entry tells how many units are sold; the hold tells how many it gives back.
  private static List<ScriptExample> units() {
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
    var fence = ended == null ? PINNED : ended;
    var record = ended == null ? "" : ended.text();
    return example(title)
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", WINDOW, outcome, fence, record, "stock", stock));
  }

  /// A sale, and a refusal and a sale of another requester's hold or of the same one.
  private static ScriptExample several(AHold first, AHold last) {
    var isTwice = first == last;
    var end = last.ended("CONFIRMED", "").text();
    var item = isTwice ? "A-1" : "A-4";
    return settle(
            isTwice ? "two sales of one hold in one batch" : "several decisions in one batch",
            "CONFIRMED\t" + SOLD,
            SOLD,
            "A-1",
            "1 SOLD",
            "A-2",
            "1 SOLD")
        .andCalls(call("tok-2", WINDOW, "NONCE_UNBOUND\t", PINNED, ""))
        .andCalls(call("tok-3", WINDOW, "CONFIRMED\t" + end, last, end, item, "1 SOLD"))
        .after((isTwice ? Arena.open().with(first) : Arena.open().with(first, last)).commands())
        .answers("SETTLED")
        .andAnswers("SETTLED")
        .andAnswers("SETTLED")
        .leaving(first.record(), SOLD)
        .leaving(last.record(), end)
        .leaving(Arena.token("tok-2"), Arena.entry("confirm", "NONCE_UNBOUND\t"))
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-4")), "0")
        .leaving("ZCARD " + Arena.DUE, "0")
        .leaving(
            "HMGET %s held sold version".formatted(Arena.META), isTwice ? "0, 2, 23" : "0, 3, 25")
        .leaving(Arena.REQUESTERS, "")
        .leaving(Arena.count("lines"), "43");
  }

  /// Its window began in Postgres and is nearly over by now.
  private static ScriptExample inTime() {
    return example("an outcome that Redis is told of late")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "60000", "NONCE_UNBOUND\t", PINNED, ""))
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "NONCE_UNBOUND\t"))
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf("shop\ttok-1\tconfirm\t%s\t60000\tNONCE_UNBOUND\t".formatted(DIGEST)));
  }

  private static ScriptExample late() {
    return example("a sale whose window is over")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "0", "CONFIRMED\t" + SOLD, PINNED, SOLD))
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), "nothing")
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf("shop\ttok-1\tconfirm\t%s\t1\tCONFIRMED\t%s".formatted(DIGEST, SOLD)));
  }

  /// The answer to the first try was lost, and a second one was noted since, in a later bucket than
  /// that of the moment of the sale.
  private static ScriptExample behindTheNote() {
    return example("a sale of a window ago, whose commit was tried again a moment ago")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "1000000", "CONFIRMED\t" + SOLD, PINNED, SOLD))
        .after(Arena.open().with(PINNED).spent("tok-1", 0, RUNNING).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "CONFIRMED\t" + SOLD));
  }

  private static ScriptExample sameItem() {
    return settle("two versions of one item, the older one last", "", "", "A-1", "2 SOLD")
        .andCalls(call("tok-2", WINDOW, "", PINNED, "", "A-1", "1", "A-2", "1 CLAIMED"))
        .after(Arena.open().commands())
        .answers("SETTLED")
        .andAnswers("SETTLED")
        .leaving("HMGET %s item:A-1 item:A-2".formatted(Arena.META), "2 SOLD, 1 CLAIMED")
        .leaving("HMGET %s sold version".formatted(Arena.META), "1, 22");
  }

  private static ScriptExample settle(
      String title, String outcome, String record, String... entries) {
    return example(title)
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", WINDOW, outcome, PINNED, record, entries));
  }

  /// The texts of one call.
  ///
  /// @param entries item and value by turns
  private static String[] call(
      String token, String leftMs, String outcome, AHold hold, String record, String... entries) {
    var items =
        IntStream.range(0, entries.length / 2)
            .mapToObj(i -> entries[2 * i] + "\t" + entries[2 * i + 1])
            .collect(Collectors.joining("\n"));
    var fence = String.valueOf(hold.fence());
    return new String[] {"shop", token, DIGEST, leftMs, "confirm", outcome, fence, record, items};
  }

  private static String line(String token, String outcome) {
    return Arena.line("confirm", token, outcome);
  }
}
