package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.IntStream;

final class HoldPlaceExamples implements ScriptExamples {
  private static final long MOST = (1L << 53) - 1;
  private static final String[] HUNDRED =
      IntStream.rangeClosed(1, 100).mapToObj(i -> "S-" + i).toArray(String[]::new);
  private static final String ODD = "50%[a-z]*{x}%1\u00e4:\\";

  @Override
  public String script() {
    return "hold/place";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        granted(),
        overLapsedHolds(),
        refused(),
        created(),
        atTheEnds(),
        CommonExamples.ofPass(Arena::open, HoldPlaceExamples::passing),
        CommonExamples.ofToken("place_hold", title -> place(title, "A-1")),
        CommonExamples.ofUnseeded(title -> place(title, "A-1")));
  }

  private static List<ScriptExample> granted() {
    return List.of(
        place("free items", "A-1", "A-3")
            .after(Arena.open().commands())
            .answers("HELD", held(13, "A-1\nA-3"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), fence(13))
            .leaving("GET " + Arena.item("A-3"), fence(13))
            .leaving(aHold(13).record(), held(13, "A-1\nA-3"))
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(13))
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving("HMGET %s seq held version lines".formatted(Arena.META), "13, 2, 21, 41")
            .leaving(Arena.token("tok-1"), entry("HELD\t" + fence(13) + "\t" + AHold.SALT))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("HELD\t" + held(13, "A-1\nA-3")))),
        place("a lone item with every sign that means something elsewhere", ODD)
            .after(Arena.open().having("HSET %s item:%s 0".formatted(Arena.META, ODD)).commands())
            .answers("HELD", held(13, ODD))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item(ODD), fence(13)),
        withMetadata(),
        place("its own hold, in another order", "A-2", "A-1")
            .after(Arena.open().with(aHold(3, "A-1", "A-2")).commands())
            .answers("SAME", aHold(3, "A-1", "A-2").text())
            .andThen("REPLAY")
            .leaving(Arena.count("seq"), "12")
            .leaving(Arena.count("held"), "2")
            .leaving(Arena.REQUESTERS, "shop\tu1, 1"),
        place("an item whose hold has left no record", "A-1")
            .after(
                Arena.open().having("SET %s 99 PX 50000".formatted(Arena.item("A-1"))).commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), fence(13)),
        place("an item that an ended hold has kept by mistake", "A-1")
            .after(
                Arena.open()
                    .with(aHold(3, "A-1").ended("RELEASED", ""))
                    .having("SET %s %d PX 50000".formatted(Arena.item("A-1"), Arena.fence(3)))
                    .commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving(Arena.count("held"), "1")
            .leaving(Arena.count("lines"), "41"));
  }

  private static ScriptExample withMetadata() {
    var metadata = "{\"note\":\"a b\"}";
    var call = call("tok-1", "u1", "A-1");
    call[7] = metadata;
    return example("with metadata, which a replay has as well")
        .arguments(Arena.OURS, "1800000", "2", "REFUSE")
        .andCalls(call)
        .andCalls(call)
        .after(Arena.open().commands())
        .answers("HELD", held(13, "A-1") + metadata)
        .andAnswers("REPLAY", "HELD", held(13, "A-1") + metadata)
        .andThen("REPLAY")
        .leaving(aHold(13).record(), held(13, "A-1") + metadata);
  }

  private static List<ScriptExample> overLapsedHolds() {
    return List.of(
        place("one item of a lapsed hold of two", "A-1")
            .after(Arena.open().with(aHold(3, "A-1", "A-2").by("shop", "u2").lapsed()).commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), fence(13))
            .leaving("GET " + Arena.item("A-2"), "nothing")
            .leaving(aHold(3).record(), expired("u2", "LEASE", "A-1\nA-2"))
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(13))
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(Arena.count("held"), "1")
            .leaving(Arena.count("version"), "22")
            .leaving(
                Arena.ENTRIES,
                Arena.entryOf(
                    Arena.UNCAUSED + "EXPIRED\t" + expired("u2", "LEASE", "A-1\nA-2"),
                    line("HELD\t" + held(13, "A-1")))),
        place("both items of one lapsed hold", "A-1", "A-2")
            .after(Arena.open().with(aHold(3, "A-1", "A-2").lapsed()).commands())
            .answers("HELD", held(13, "A-1\nA-2"))
            .andThen("REPLAY")
            .leaving(Arena.count("lines"), "42")
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(Arena.count("held"), "2"),
        place("the items of two lapsed holds", "A-1", "A-2")
            .after(Arena.open().with(lapsed(3, "A-1"), lapsed(4, "A-2")).commands())
            .answers("HELD", held(13, "A-1\nA-2"))
            .andThen("REPLAY")
            .leaving(Arena.count("lines"), "43")
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(Arena.count("held"), "2")
            .leaving(Arena.count("version"), "23"),
        place("a lapsed hold beside one that lives", "A-1", "A-2")
            .after(
                Arena.open()
                    .with(aHold(3, "A-1").lapsed(), aHold(4, "A-2").by("shop", "u2"))
                    .commands())
            .answers("TAKEN", "A-2")
            .andThen("REPLAY")
            .leaving(aHold(3).record(), aHold(3, "A-1").lapsed().text())
            .leaving(Arena.count("lines"), "41"),
        place("at the limit, but for the lapsed hold in the way", "A-1")
            .after(Arena.open().with(lapsed(3, "A-1"), aHold(4, "A-2")).commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving(Arena.REQUESTERS, "shop\tu1, 2"));
  }

  private static List<ScriptExample> refused() {
    var others = aHold(3, "A-1", "A-2").by("shop", "u2");
    var sold = "HSET %s item:A-1 4␣SOLD item:A-2 9".formatted(Arena.META);
    return List.of(
        taken("an item that another requester holds", "A-1", others, "A-1", "A-4")
            .leaving("EXISTS " + Arena.item("A-4"), "0")
            .leaving(Arena.count("seq"), "12")
            .leaving(Arena.count("version"), "20")
            .leaving(Arena.token("tok-1"), entry("TAKEN\tA-1"))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("TAKEN\tA-1"))),
        taken("all items of another requester", "A-1\nA-2", others, "A-1", "A-2"),
        taken("an equal requester of another caller", "A-1", aHold(3, "A-1").by("x", "u1"), "A-1"),
        taken("fewer items than it holds", "A-1", aHold(3, "A-1", "A-2"), "A-1"),
        taken("more items than it holds", "A-1", aHold(3, "A-1"), "A-1", "A-2"),
        place("items of two of its own holds", "A-1", "A-2")
            .after(Arena.open().with(aHold(3, "A-1"), aHold(4, "A-2")).commands())
            .answers("TAKEN", "A-1\nA-2")
            .andThen("REPLAY"),
        place("an item that is sold", "A-1", "A-2")
            .after(Arena.open().having(sold).commands())
            .answers("TAKEN", "A-1")
            .andThen("REPLAY"),
        place("an item that does not exist", "A-1", "A-9", "A-8")
            .after(Arena.open().with(others).commands())
            .answers("NO_SUCH_ITEM", "A-9\nA-8")
            .andThen("REPLAY")
            .leaving(Arena.ENTRIES, Arena.entryOf(line("NO_SUCH_ITEM\tA-9\nA-8"))),
        place("one hold too many", "A-4")
            .after(Arena.open().with(aHold(3, "A-1"), aHold(4, "A-2")).commands())
            .answers("LIMIT", "2")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("A-4"), "0"));
  }

  /// Of a pool whose items come into being when they are held.
  private static List<ScriptExample> created() {
    var others = aHold(3, "ann").by("shop", "u2");
    return List.of(
        create("an item that nobody has named before", "ann")
            .after(Arena.open().commands())
            .answers("HELD", held(13, "ann"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("ann"), fence(13))
            .leaving("HGET %s item:ann".formatted(Arena.META), "nothing")
            .leaving("HMGET %s held sold".formatted(Arena.META), "1, 0"),
        create("an unknown item beside a known one", "ann", "A-1")
            .after(Arena.open().commands())
            .answers("HELD", held(13, "ann\nA-1"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("ann"), fence(13))
            .leaving(Arena.count("held"), "2"),
        create("an unknown item that another requester holds", "ann")
            .after(Arena.open().with(others).commands())
            .answers("TAKEN", "ann")
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("ann"), fence(3)),
        create("an unknown item of a lapsed hold", "ann")
            .after(Arena.open().with(others.lapsed()).commands())
            .answers("HELD", held(13, "ann"))
            .andThen("REPLAY")
            .leaving(others.record(), others.lapsed().ended("EXPIRED", "LEASE").text())
            .leaving(Arena.count("held"), "1"),
        create("its own hold of an unknown item", "ann")
            .after(Arena.open().with(aHold(3, "ann")).commands())
            .answers("SAME", aHold(3, "ann").text())
            .andThen("REPLAY"),
        create("an item that is sold", "ann")
            .after(Arena.open().having("HSET %s item:ann 1␣SOLD".formatted(Arena.META)).commands())
            .answers("TAKEN", "ann")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("ann"), "0")
            .leaving(Arena.count("held"), "0"),
        create("an item that is claimed, beside an unknown one", "bob", "ann")
            .after(
                Arena.open().having("HSET %s item:ann 1␣CLAIMED".formatted(Arena.META)).commands())
            .answers("TAKEN", "ann")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("bob"), "0"),
        create("an item whose sale was voided", "ann")
            .after(Arena.open().having("HSET %s item:ann 2".formatted(Arena.META)).commands())
            .answers("HELD", held(13, "ann"))
            .andThen("REPLAY"),
        place("a lone item that does not exist", "ann")
            .after(Arena.open().commands())
            .answers("NO_SUCH_ITEM", "ann")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("ann"), "0")
            .leaving(Arena.count("seq"), "12"));
  }

  private static List<ScriptExample> atTheEnds() {
    return List.of(
        place("the highest fence of all", "A-1")
            .after(Arena.open("2097151", 4294967294L).commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), "9007199254740991")
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), "9007199254740991")
            .leaving(Arena.count("seq"), "4294967295"),
        place("an epoch that has no fence left", "A-1")
            .after(Arena.open(Arena.EPOCH, 4294967295L).with(lapsed(3, "A-1")).commands())
            .answers("UNSEEDED", "FULL")
            .keepingNothing(),
        place("the highest version of all", "A-1")
            .after(
                Arena.open()
                    .having("HSET %s version %d".formatted(Arena.META, MOST - 1))
                    .commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving(Arena.count("version"), String.valueOf(MOST)),
        place("a hundred items", HUNDRED)
            .after(
                Arena.open()
                    .having(
                        "HSET %s item:%s 0".formatted(Arena.META, String.join(" 0 item:", HUNDRED)))
                    .commands())
            .answers("HELD", held(13, String.join("\n", HUNDRED)))
            .andThen("REPLAY")
            .leaving(Arena.count("held"), "100")
            .leaving("EXISTS " + Arena.item("S-100"), "1"));
  }

  private static ScriptExample taken(String title, String items, AHold hold, String... asked) {
    return place(title, asked)
        .after(Arena.open().with(hold).commands())
        .answers("TAKEN", items)
        .andThen("REPLAY");
  }

  static AHold lapsed(int number, String item) {
    return aHold(number, item).lapsed();
  }

  static ScriptExample place(String title, String... items) {
    return example(title)
        .arguments(Arena.OURS, "1800000", "2", "REFUSE")
        .andCalls(call("tok-1", "u1", items));
  }

  private static ScriptExample create(String title, String... items) {
    return example(title)
        .arguments(Arena.OURS, "1800000", "2", "CREATE")
        .andCalls(call("tok-1", "u1", items));
  }

  private static ScriptExample passing(String title, String pass) {
    var call = call("tok-1", "u1", "A-1");
    call[8] = pass;
    return example(title).arguments(Arena.OURS, "1800000", "2", "REFUSE").andCalls(call);
  }

  /// The texts of one call, of the shop.
  static String[] call(String token, String requester, String... items) {
    return new String[] {
      "shop",
      token,
      CommonExamples.DIGEST,
      requester,
      "600000",
      AHold.SALT,
      String.join("\n", items),
      "",
      ""
    };
  }

  private static String fence(int number) {
    return "" + Arena.fence(number);
  }

  static String held(int number, String items) {
    return "HELD\t%d\t%s\tshop\tu1\t<moment>\t<moment>\t<moment>\t600000\t\t\t0\ttok-1\t%s\t\t"
        .formatted(Arena.fence(number), AHold.SALT, items);
  }

  private static String expired(String requester, String reason, String items) {
    var hold = aHold(3, items.split("\n")).by("shop", requester).lapsed();
    return hold.ended("EXPIRED", reason).text();
  }

  private static String entry(String outcome) {
    return Arena.entry("place_hold", outcome);
  }

  static String line(String outcome) {
    return Arena.line("place_hold", outcome);
  }
}
