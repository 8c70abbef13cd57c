package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.IntStream;

final class HoldTakeExamples implements ScriptExamples {
  private static final String NUMBERS =
      "HMGET %s seq held sold version lines".formatted(Arena.META);
  private static final String MOST = "1000000000";

  @Override
  public String script() {
    return "hold/take";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        granted(),
        overLapsedHolds(),
        refused(),
        atTheEnds(),
        limited(),
        CommonExamples.ofClosedSale(() -> Arena.stock("4 2/10"), title -> take(title, "1")),
        CommonExamples.ofPass(() -> Arena.stock("4 2/10"), HoldTakeExamples::passing),
        CommonExamples.ofToken("place_hold", title -> take(title, "1")),
        CommonExamples.ofUnseeded(title -> take(title, "1")));
  }

  private static List<ScriptExample> limited() {
    var own = "HSET %s own:%s ␣%d=3".formatted(Arena.META, Arena.U1, Arena.fence(2));
    return List.of(
        take("as many units as a requester may have", "2")
            .after(Arena.stock("4 2/10").having(Arena.itemsMax(5), own).commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving(
                Arena.OWN, (Arena.U1 + ",  %d=3 %d=2").formatted(Arena.fence(2), Arena.fence(13))),
        take("more units than a requester may have", "2")
            .after(Arena.stock("4 2/10").having(Arena.itemsMax(4), own).commands())
            .answers("ITEM_LIMIT", "4")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0"));
  }

  private static List<ScriptExample> granted() {
    var other = aHoldOf(3, 4).by("shop", "u2");
    var metadata = "{\"note\":\"for two\"}";
    return List.of(
        take("some of the units", "3")
            .after(Arena.stock("4 2/10").with(other).commands())
            .answers("HELD", held(13, "3"))
            .andThen("REPLAY")
            .leaving(aHoldOf(13, 3).record(), held(13, "3"))
            .leaving(other.record(), other.text())
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(13) + ", " + fence(3))
            .leaving("HMGET %s who:shop\tu1 who:shop\tu2".formatted(Arena.META), "1, 1")
            .leaving(NUMBERS, "13, 7, 2, 21, 41")
            .leaving(Arena.ITEMS, "stock, 4 2/10")
            .leaving("EXISTS %s %s".formatted(Arena.item("stock"), Arena.FREED), "0")
            .leaving(Arena.token("tok-1"), entry("HELD\t" + held(13, "3")))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("HELD\t" + held(13, "3")))),
        take("all units that are left", "4")
            .after(Arena.stock("4 2/10").with(other).commands())
            .answers("HELD", held(13, "4"))
            .andThen("REPLAY")
            .leaving(NUMBERS, "13, 8, 2, 21, 41"),
        take("a second time, by the same requester", "1")
            .after(Arena.stock("4 2/10").with(aHoldOf(3, 1)).commands())
            .answers("HELD", held(13, "1"))
            .andThen("REPLAY")
            .leaving(Arena.REQUESTERS, "shop\tu1, 2")
            .leaving(Arena.count("held"), "2"),
        pool("with metadata")
            .andCalls(call("tok-1", "u1", "1", metadata))
            .after(Arena.stock("4 2/10").commands())
            .answers("HELD", held(13, "1") + metadata)
            .andThen("REPLAY")
            .leaving(aHoldOf(13, 1).record(), held(13, "1") + metadata));
  }

  private static List<ScriptExample> overLapsedHolds() {
    var lapsed = aHoldOf(3, 3).by("shop", "u2").lapsed();
    var over = aHoldOf(4, 1).by("shop", "u3").pastItsWindow();
    var hundredAndOne =
        IntStream.rangeClosed(1, 101)
            .mapToObj(number -> aHoldOf(number, 1).by("shop", "u2").lapsed())
            .toArray(AHold[]::new);
    return List.of(
        take("units beside those of a lapsed hold", "2")
            .after(Arena.stock("0 0/5").with(lapsed).commands())
            .answers("HELD", held(13, "2"))
            .andThen("REPLAY")
            .leaving(lapsed.record(), lapsed.text())
            .leaving("ZCARD " + Arena.DUE, "2")
            .leaving(NUMBERS, "13, 5, 0, 21, 41"),
        take("units of a lapsed hold", "3")
            .after(Arena.stock("0 0/5").with(lapsed).commands())
            .answers("HELD", held(13, "3"))
            .andThen("REPLAY")
            .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(13))
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(NUMBERS, "13, 3, 0, 22, 42")
            .leaving("EXISTS " + Arena.FREED, "0")
            .leaving(
                Arena.ENTRIES,
                Arena.entryOf(expired(lapsed, "LEASE"), line("HELD\t" + held(13, "3")))),
        take("units of one of two lapsed holds, which both end", "2")
            .after(Arena.stock("0 0/5").with(lapsed, over).commands())
            .answers("HELD", held(13, "2"))
            .andThen("REPLAY")
            .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
            .leaving(over.record(), over.ended("EXPIRED", "WINDOW").text())
            .leaving(NUMBERS, "13, 2, 0, 23, 43"),
        take("more than is left after a lapsed hold has ended", "3")
            .after(Arena.stock("0 0/5").with(aHoldOf(5, 3).by("shop", "u2"), over).commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(over.record(), over.ended("EXPIRED", "WINDOW").text())
            .leaving(NUMBERS, "12, 3, 0, 21, 42")
            .leaving(Arena.ENTRIES, Arena.entryOf(expired(over, "WINDOW"), line("TAKEN\t"))),
        take("units of a lapsed hold that is being committed", "3")
            .after(Arena.stock("0 0/5").with(lapsed.pinned(1)).commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(lapsed.record(), lapsed.pinned(1).text())
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3))
            .leaving(NUMBERS, "12, 3, 0, 20, 41"),
        take("units of a hold that has ended, but stayed among the due", "3")
            .after(
                Arena.stock("0 3/5")
                    .with(lapsed.ended("RELEASED", ""))
                    .having("ZADD %s 1 %s 1 99".formatted(Arena.DUE, fence(3)))
                    .commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(NUMBERS, "12, 0, 3, 20, 41"),
        take("at the limit, but for a lapsed hold", "1")
            .after(Arena.stock("0 0/5").with(aHoldOf(3, 1).lapsed(), aHoldOf(4, 1)).commands())
            .answers("HELD", held(13, "1"))
            .andThen("REPLAY")
            .leaving(Arena.REQUESTERS, "shop\tu1, 2")
            .leaving(NUMBERS, "13, 2, 0, 22, 42"),
        take("a unit, where more holds have lapsed than one batch ends", "1")
            .after(
                Arena.stock("0 0/101")
                    .with(hundredAndOne)
                    .having("HSET %s seq 200".formatted(Arena.META))
                    .commands())
            .answers("HELD", held(201, "1"))
            .andThen("REPLAY")
            .leaving(NUMBERS, "201, 2, 0, 121, 141"));
  }

  private static List<ScriptExample> refused() {
    var other = aHoldOf(3, 1).by("shop", "u2");
    return List.of(
        take("more than is left", "2")
            .after(Arena.stock("4 8/10").with(other).commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(aHoldOf(13, 2).record(), "nothing")
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3))
            .leaving(Arena.REQUESTERS, "shop\tu2, 1")
            .leaving(NUMBERS, "12, 1, 8, 20, 41")
            .leaving(Arena.token("tok-1"), entry("TAKEN\t"))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("TAKEN\t"))),
        take("units above the lowest capacity that is being set", "2")
            .after(
                Arena.stock("4 2/10")
                    .with(other)
                    .having("HSET %s one 6 other 4 third 5".formatted(Arena.key("limits")))
                    .commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(Arena.count("held"), "1"),
        take("a unit of a pool that is sold out", "1")
            .after(Arena.stock("4 10/10").commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"),
        take("a unit, before Redis knows which hold the last sale has ended", "1")
            .after(Arena.stock("4 10/10").with(aHoldOf(3, 3).pinned(1)).commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(NUMBERS, "12, 3, 10, 20, 41"),
        take("a unit of a pool whose stock Redis has lost", "1")
            .after(Arena.open().commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"),
        take("one hold too many", "1")
            .after(Arena.stock("4 2/10").with(aHoldOf(3, 1), aHoldOf(4, 1)).commands())
            .answers("LIMIT", "2")
            .andThen("REPLAY")
            .leaving(Arena.REQUESTERS, "shop\tu1, 2")
            .leaving(NUMBERS, "12, 2, 2, 20, 41")
            .leaving(Arena.ENTRIES, Arena.entryOf(line("LIMIT\t2"))),
        take("one hold too many of units that are not there", "9")
            .after(Arena.stock("4 2/10").with(aHoldOf(3, 1), aHoldOf(4, 1)).commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"));
  }

  private static List<ScriptExample> atTheEnds() {
    var lapsed = aHoldOf(3, 5).lapsed();
    return List.of(
        take("the highest fence of all", "1")
            .after(Arena.open("2097151", 4294967294L).stocked("0 0/5").commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), "9007199254740991")
            .leaving(Arena.count("seq"), "4294967295"),
        take("an epoch that has no fence left", "1")
            .after(Arena.open(Arena.EPOCH, 4294967295L).stocked("0 0/5").with(lapsed).commands())
            .answers("UNSEEDED", "FULL")
            .keepingNothing()
            .leaving(lapsed.record(), lapsed.text())
            .leaving(Arena.count("held"), "5"),
        take("the highest capacity of all", MOST)
            .after(Arena.stock("0 0/" + MOST).commands())
            .answers("HELD", held(13, MOST))
            .andThen("REPLAY")
            .leaving(NUMBERS, "13, %s, 0, 21, 41".formatted(MOST)));
  }

  private static ScriptExample take(String title, String quantity) {
    return pool(title).andCalls(call("tok-1", "u1", quantity, ""));
  }

  private static ScriptExample pool(String title) {
    return example(title).arguments(Arena.OURS, "1800000", "2");
  }

  private static ScriptExample passing(String title, String pass) {
    var call = call("tok-1", "u1", "1", "");
    call[8] = pass;
    return pool(title).andCalls(call);
  }

  /// The texts of one call, of the shop.
  static String[] call(String token, String requester, String quantity, String metadata) {
    return new String[] {
      "shop", token, CommonExamples.DIGEST, requester, "600000", AHold.SALT, quantity, metadata, ""
    };
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }

  private static String held(int number, String quantity) {
    return held(number, "u1", "tok-1", quantity);
  }

  static String held(int number, String requester, String token, String quantity) {
    return "HELD\t%s\t%s\tshop\t%s\t<moment>\t<moment>\t<moment>\t600000\t\t\t0\t%s\t\t%s\t"
        .formatted(fence(number), AHold.SALT, requester, token, quantity);
  }

  private static String expired(AHold hold, String reason) {
    return Arena.UNCAUSED + "EXPIRED\t" + hold.ended("EXPIRED", reason).text();
  }

  private static String entry(String outcome) {
    return Arena.entry("place_hold", outcome);
  }

  private static String line(String outcome) {
    return Arena.line("place_hold", outcome);
  }
}
