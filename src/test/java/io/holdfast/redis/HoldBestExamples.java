package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

final class HoldBestExamples implements ScriptExamples {
  private static final String ROW = "|A-1\nA-2\nA-3\nA-4";
  private static final String JOURNAL_LINES = "XLEN " + Arena.JOURNAL;

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
        CommonExamples.ofToken("place_hold", title -> best(title, 2, "WELL", ROW)),
        CommonExamples.ofUnseeded(title -> best(title, 2, "WELL", ROW)));
  }

  private static List<ScriptExample> granted() {
    return List.of(
        best("two of four", 2, "WELL", ROW)
            .after(Arena.open().commands())
            .answers("HELD", held("A-1\nA-2"), "0 4")
            .andThen("REPLAY")
            .leaving("GET " + Arena.item("A-1"), fence())
            .leaving("GET " + Arena.item("A-2"), fence())
            .leaving("EXISTS " + Arena.item("A-3"), "0")
            .leaving("HMGET %s seq held version".formatted(Arena.META), "13, 2, 21")
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(JOURNAL_LINES, "1"),
        best("all that is free of a row", 3, "WELL", ROW)
            .after(Arena.open().with(aHold(3, "A-1").by("shop", "u2")).commands())
            .answers("HELD", held("A-2\nA-3\nA-4"), "1 3")
            .andThen("REPLAY"),
        best("the next row, where nobody is left alone", 2, "WELL", "|A-1\nA-2\nA-3", "|A-4\nA-5")
            .after(Arena.open().having("HSET %s item:A-5 0".formatted(Arena.META)).commands())
            .answers("HELD", held("A-4\nA-5"), "0 3,0 2")
            .andThen("REPLAY"),
        best("a seat is left alone if it may be", 3, "ANY", ROW)
            .after(Arena.open().commands())
            .answers("HELD", held("A-1\nA-2\nA-3"), "0 4")
            .andThen("REPLAY"),
        best("a good row though a tight one comes first", 2, "LAST", "|A-1\nA-2\nA-3", "|A-4\nA-5")
            .after(Arena.open().having("HSET %s item:A-5 0".formatted(Arena.META)).commands())
            .answers("HELD", held("A-4\nA-5"), "0 3,0 2")
            .andThen("REPLAY"));
  }

  private static List<ScriptExample> notHere() {
    var others = aHold(3, "A-2").by("shop", "u2");
    return List.of(
        best("no two side by side", 2, "WELL", "|A-1\nA-2\nA-3")
            .after(Arena.open().with(others).commands())
            .answers("NEXT", "7 20", "0 1")
            .leaving("EXISTS %s %s".formatted(Arena.JOURNAL, Arena.token("tok-1")), "0"),
        best("one would be left alone", 3, "WELL", ROW)
            .after(Arena.open().commands())
            .answers("NEXT", "7 20", "0 4"),
        best("what follows is not known", 2, "WELL", ">A-1\nA-2")
            .after(Arena.open().commands())
            .answers("NEXT", "7 20", "0 2"),
        best("a seat that is sold", 2, "WELL", "|A-1\nA-2")
            .after(Arena.open().having("HSET %s item:A-1 4␣SOLD".formatted(Arena.META)).commands())
            .answers("NEXT", "7 20", "1 1"),
        best("a seat whose hold has lapsed, before the sweeper came", 2, "WELL", "|A-1\nA-2")
            .after(Arena.open().with(aHold(3, "A-1").by("shop", "u2").lapsed()).commands())
            .answers("NEXT", "7 20", "1 1"),
        best("a seat that the pool has not got", 2, "WELL", "|A-1\nA-9")
            .after(Arena.open().commands())
            .answers("NEXT", "7 20", "0 1"),
        best("another state than that in which there was nothing", 2, "7 19", "|A-1")
            .after(Arena.open().commands())
            .answers("NEXT", "7 20", "0 1"));
  }

  private static List<ScriptExample> refused() {
    return List.of(
        best("nowhere else to look", 2, "LAST")
            .after(Arena.open().commands())
            .answers("TAKEN", "")
            .andThen("REPLAY")
            .leaving(JOURNAL_LINES, "1"),
        best("as it was when there was nothing", 2, "7 20", "|A-1")
            .after(Arena.open().commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"),
        best("fewer are free than are wanted", 2, "WELL", "|A-4")
            .after(
                Arena.open()
                    .with(aHold(3, "A-1", "A-2").by("shop", "u2"))
                    .having("HSET %s sold 1 item:A-3 6␣SOLD".formatted(Arena.META))
                    .commands())
            .answers("TAKEN", "")
            .andThen("REPLAY"),
        best("one hold too many", 1, "WELL", ROW)
            .after(Arena.open().with(aHold(3, "A-1"), aHold(4, "A-2")).commands())
            .answers("LIMIT", "2")
            .andThen("REPLAY"),
        best("an epoch that has no fence left", 2, "WELL", ROW)
            .after(Arena.open(Arena.EPOCH, 4294967295L).commands())
            .answers("UNSEEDED", "FULL"));
  }

  private static ScriptExample best(String title, int count, String manner, String... parts) {
    var first =
        Stream.of(
            Arena.OURS,
            "shop",
            "tok-1",
            CommonExamples.DIGEST,
            CommonExamples.TOKEN_WINDOW_MS,
            "u1",
            "600000",
            "1800000",
            "2",
            AHold.SALT,
            Integer.toString(count),
            "4",
            manner);
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL)
        .arguments(Stream.concat(first, Stream.of(parts)).toArray(String[]::new));
  }

  private static String fence() {
    return "" + Arena.fence(13);
  }

  private static String held(String items) {
    return "HELD\t%s\t%s\tshop\tu1\t<moment>\t<moment>\t<moment>\t600000\t\t\t0\ttok-1\t%s"
        .formatted(fence(), AHold.SALT, items);
  }
}
