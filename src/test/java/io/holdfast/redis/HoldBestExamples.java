package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

final class HoldBestExamples implements ScriptExamples {
  private static final String ROW = "|A-1\nA-2\nA-3\nA-4";
  private static final String KNOWN = "7 0";
  private static final String FREED = "RPUSH %s A-3 A-4".formatted(Arena.FREED);

  @Override
  public String script() {
    return "hold/best";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        granted(),
        notHere(),
        refused(),
        List.of(batch(), lastSeats(), withMetadata()),
        limited(),
        CommonExamples.ofClosedSale(Arena::open, title -> best(title, 2, "GOOD", ROW)),
        CommonExamples.ofPass(Arena::open, HoldBestExamples::passing),
        CommonExamples.ofToken("place_hold", title -> best(title, 2, "GOOD", ROW)),
        CommonExamples.ofUnseeded(title -> best(title, 2, "GOOD", ROW)));
  }

  private static List<ScriptExample> limited() {
    var own = "HSET %s own:%s ␣%d=3".formatted(Arena.META, Arena.U1, Arena.fence(2));
    var blocked = "HSET %s item:A-2 4␣BLOCKED blocked 1".formatted(Arena.META);
    return List.of(
        best("more seats than a requester may have", 2, "GOOD", ROW)
            .after(Arena.open().having(Arena.itemsMax(4), own).commands())
            .answers("ITEM_LIMIT", "4")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0"),
        best("beside a seat that is out of sale", 2, "GOOD", ROW)
            .after(Arena.open().having(blocked).commands())
            .answers("HELD", held("A-3\nA-4") + look("0100"))
            .andThen("REPLAY"));
  }

  private static List<ScriptExample> granted() {
    return List.of(
        best("two of four", 2, "GOOD", ROW)
            .after(Arena.open().commands())
            .answers("HELD", held("A-1\nA-2") + look("0000"))
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), fence())
            .leaving("GET " + Arena.item("A-2"), fence())
            .leaving("EXISTS " + Arena.item("A-3"), "0")
            .leaving("HMGET %s seq held version".formatted(Arena.META), "13, 2, 21")
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(Arena.count("lines"), "41"),
        best("all that is free of a row", 3, "GOOD", ROW)
            .after(Arena.open().with(aHold(3, "A-1").by("shop", "u2")).commands())
            .answers("HELD", held("A-2\nA-3\nA-4") + look("1000"))
            .andThen("REPLAY"),
        best("the next row, where nobody is left alone", 2, "GOOD", "|A-1\nA-2\nA-3", "|A-4\nA-5")
            .after(Arena.open().having("HSET %s item:A-5 0".formatted(Arena.META)).commands())
            .answers("HELD", held("A-4\nA-5") + look("000,00"))
            .andThen("REPLAY"),
        best("a seat is left alone if it may be", 3, "ANY", ROW)
            .after(Arena.open().commands())
            .answers("HELD", held("A-1\nA-2\nA-3") + look("0000"))
            .andThen("REPLAY"),
        best("a good row though a tight one comes first", 2, "LAST", "|A-1\nA-2\nA-3", "|A-4\nA-5")
            .after(Arena.open().having("HSET %s item:A-5 0".formatted(Arena.META)).commands())
            .answers("HELD", held("A-4\nA-5") + look("000,00"))
            .andThen("REPLAY"));
  }

  private static List<ScriptExample> notHere() {
    var others = aHold(3, "A-2").by("shop", "u2");
    return List.of(
        best("no two side by side", 2, "GOOD", "|A-1\nA-2\nA-3")
            .after(Arena.open().with(others).commands())
            .answers("NEXT", look("010"))
            .keepingNothing(),
        best("one would be left alone", 3, "GOOD", ROW)
            .after(Arena.open().commands())
            .answers("NEXT", look("0000")),
        best("what follows is not known", 2, "GOOD", ">A-1\nA-2")
            .after(Arena.open().commands())
            .answers("NEXT", look("00")),
        best("a seat that is sold", 2, "GOOD", "|A-1\nA-2")
            .after(Arena.open().having("HSET %s item:A-1 4␣SOLD".formatted(Arena.META)).commands())
            .answers("NEXT", look("10")),
        best("a seat whose hold has lapsed, before the sweeper came", 2, "GOOD", "|A-1\nA-2")
            .after(Arena.open().with(aHold(3, "A-1").by("shop", "u2").lapsed()).commands())
            .answers("NEXT", look("10")),
        best("a seat that the pool has not got", 2, "GOOD", "|A-1\nA-9")
            .after(Arena.open().commands())
            .answers("NEXT", look("01")),
        best("nothing elsewhere, but seats became free since", 2, "LAST", "|A-1")
            .after(Arena.open().having(FREED).having(freedEver(2)).commands())
            .answers("NEXT", look("7 2", "A-3\nA-4", "0"))
            .keepingNothing(),
        best("nothing elsewhere, but more became free since than is kept", 2, "LAST", "|A-1")
            .after(Arena.open().having(FREED).having(freedEver(3)).commands())
            .answers("NEXT", look("7 3", "", "0"))
            .keepingNothing(),
        pool("nothing elsewhere in an earlier epoch")
            .andCalls(call("tok-1", "u1", 2, "6 0", "LAST"))
            .after(Arena.open().commands())
            .answers("NEXT", look(""))
            .keepingNothing());
  }

  private static List<ScriptExample> refused() {
    return List.of(
        best("nowhere else to look", 2, "LAST")
            .after(Arena.open().commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(Arena.count("lines"), "41"),
        best("fewer are free than are wanted", 2, "GOOD", "|A-4")
            .after(
                Arena.open()
                    .with(aHold(3, "A-1", "A-2").by("shop", "u2"))
                    .having("HSET %s sold 1 item:A-3 6␣SOLD".formatted(Arena.META))
                    .commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"),
        best("no room in the pool as the caller knows it", 2, "LAST")
            .after(Arena.open().having(Arena.rules(1, 0, AHold.FAR_AHEAD, "")).commands())
            .answers("CHANGED", "1")
            .keepingNothing(),
        best("one hold too many", 1, "GOOD", ROW)
            .after(Arena.open().with(aHold(3, "A-1"), aHold(4, "A-2")).commands())
            .answers("LIMIT", "2")
            .andThen("REPLAY"),
        best("an epoch that has no fence left", 2, "GOOD", ROW)
            .after(Arena.open(Arena.EPOCH, 4294967295L).commands())
            .answers("UNSEEDED", "FULL"));
  }

  private static ScriptExample batch() {
    return pool("the same seats for two requesters, and once more under the first token")
        .andCalls(call("tok-1", "u1", 2, KNOWN, "GOOD", ROW))
        .andCalls(call("tok-2", "u2", 2, KNOWN, "GOOD", ROW))
        .andCalls(call("tok-1", "u1", 2, KNOWN, "GOOD", ROW))
        .after(Arena.open().commands())
        .answers("HELD", held("A-1\nA-2") + look("0000"))
        .andAnswers("HELD")
        .andAnswers("REPLAY", "HELD", held("A-1\nA-2"))
        .andThen("REPLAY")
        .leaving("GET " + Arena.item("A-3"), "" + Arena.fence(14))
        .leaving("HMGET %s seq held version lines".formatted(Arena.META), "14, 4, 22, 42");
  }

  private static ScriptExample lastSeats() {
    return pool("the last seats, for the requester of three holds and for one who comes too late")
        .andCalls(call("tok-1", "u1", 1, KNOWN, "ANY", ROW))
        .andCalls(call("tok-2", "u1", 1, KNOWN, "ANY", ROW))
        .andCalls(call("tok-3", "u1", 1, KNOWN, "ANY", ROW))
        .andCalls(call("tok-4", "u2", 3, KNOWN, "GOOD", ROW))
        .after(Arena.open().commands())
        .answers("HELD")
        .andAnswers("HELD")
        .andAnswers("LIMIT", "2")
        .andAnswers("TAKEN", "")
        .andThen("REPLAY")
        .leaving(Arena.REQUESTERS, "shop\tu1, 2")
        .leaving(Arena.count("lines"), "44");
  }

  private static ScriptExample withMetadata() {
    var call = call("tok-1", "u1", 2, KNOWN, "GOOD", ROW);
    call[10] = "{\"note\":\"a\"}";
    return pool("with metadata")
        .andCalls(call)
        .after(Arena.open().commands())
        .answers("HELD", held("A-1\nA-2") + call[10] + look("0000"))
        .andThen("REPLAY")
        .leaving(aHold(13).record(), held("A-1\nA-2") + call[10]);
  }

  private static ScriptExample passing(String title, String pass) {
    var call = call("tok-1", "u1", 2, KNOWN, "GOOD", ROW);
    call[11] = pass;
    return pool(title).andCalls(call);
  }

  private static ScriptExample best(String title, int count, String manner, String... parts) {
    return pool(title).andCalls(call("tok-1", "u1", count, KNOWN, manner, parts));
  }

  private static ScriptExample pool(String title) {
    return example(title).arguments(Arena.OURS, "1800000", "2", "4", "0");
  }

  private static String[] call(
      String token, String requester, int count, String known, String manner, String... parts) {
    return new String[] {
      "shop",
      token,
      CommonExamples.DIGEST,
      requester,
      "600000",
      AHold.SALT,
      Integer.toString(count),
      known,
      manner,
      Stream.of(parts).map(part -> part + "\n").collect(Collectors.joining("\u001e")),
      "",
      ""
    };
  }

  private static String freedEver(int count) {
    return "HSET %s freed %d".formatted(Arena.META, count);
  }

  private static String look(String bits) {
    return look(KNOWN, "", bits);
  }

  private static String look(String state, String freed, String bits) {
    return "\u001e" + state + "\u001e" + freed + "\u001e" + bits;
  }

  private static String fence() {
    return "" + Arena.fence(13);
  }

  private static String held(String items) {
    return "HELD\t%s\t%s\tshop\tu1\t<moment>\t<moment>\t<moment>\t600000\t\t\t0\ttok-1\t%s\t\t"
        .formatted(fence(), AHold.SALT, items);
  }
}
