package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Of a pool of items.
final class HoldSettleExamples implements ScriptExamples {
  static final String WINDOW = String.valueOf(Arena.WINDOW_MS);
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
        List.of(sameItem(), ofAdmitted(), blocking()),
        limited(),
        CommonExamples.ofUnseeded(title -> settle(title, "CONFIRMED\t" + SOLD, SOLD)));
  }

  /// In a pool with a limit of items per requester.
  private static List<ScriptExample> limited() {
    var own = "HSET %s own:%s ␣%d=2".formatted(Arena.META, Arena.U1, PINNED.fence());
    return List.of(
        left("a sale, which counts like its hold", "2")
            .after(Arena.open().with(PINNED).having(Arena.itemsMax(4), own).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, (Arena.U1 + ",  %d=2").formatted(PINNED.fence())),
        left("a sale of which an item was voided", "1")
            .after(Arena.open().having(Arena.itemsMax(4), own).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, (Arena.U1 + ",  %d=1").formatted(PINNED.fence())),
        left("a sale that was voided", "0")
            .after(Arena.open().having(Arena.itemsMax(4), own).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, ""),
        left("a sale that is settled again after its void", "2")
            .after(Arena.open().having(Arena.itemsMax(4)).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, ""),
        left("a void and, later, the sale before it", "2")
            .after(Arena.open().having(Arena.itemsMax(4), own.replace("=2", "=1")).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, (Arena.U1 + ",  %d=1").formatted(PINNED.fence())),
        settle("a release, which frees what it counts", "", PINNED.ended("RELEASED", "").text())
            .after(Arena.open().with(PINNED).having(Arena.itemsMax(4), own).commands())
            .answers("SETTLED")
            .leaving(Arena.OWN, ""));
  }

  /// @param live how much of the sale is not voided
  private static ScriptExample left(String title, String live) {
    var call = call("tok-1", WINDOW, "", PINNED, SOLD, "A-1", "1 SOLD");
    call[8] = "\t" + live + "\n" + call[8];
    return example(title).arguments(Arena.OURS).andCalls(call);
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

  /// The end of a claim that was told late: the operator goes on blocking.
  private static ScriptExample blocking() {
    var mark = "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1".formatted(Arena.META, AHold.FAR_AHEAD);
    return settle("a free item that an operator is blocking", "", "", "A-1", "2")
        .after(Arena.open().having(mark).commands())
        .answers("SETTLED")
        .leaving(
            "HGET %s item:A-1".formatted(Arena.META),
            "2 BLOCKING %d me-1".formatted(AHold.FAR_AHEAD))
        .leaving("EXISTS " + Arena.FREED, "0");
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
  static String[] call(
      String token, String leftMs, String outcome, AHold hold, String record, String... entries) {
    var items =
        IntStream.range(0, entries.length / 2)
            .mapToObj(i -> entries[2 * i] + "\t" + entries[2 * i + 1])
            .collect(Collectors.joining("\n"));
    var fence = String.valueOf(hold.fence());
    return new String[] {"shop", token, DIGEST, leftMs, "confirm", outcome, fence, record, items};
  }

  static String line(String token, String outcome) {
    return Arena.line("confirm", token, outcome);
  }
}
