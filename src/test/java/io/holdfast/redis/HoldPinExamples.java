package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class HoldPinExamples implements ScriptExamples {
  private static final AHold OURS = aHold(3, "A-1", "A-2");
  private static final String RUNNING = "confirm\t%s\tRUNNING\t".formatted(DIGEST);

  @Override
  public String script() {
    return "hold/pin";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(first(), second(), kept(), whileRunning(), finished(), several(), twice()),
        refused(),
        spentTokens(),
        CommonExamples.ofUnseeded(HoldPinExamples::pin));
  }

  private static ScriptExample first() {
    return pin("a hold that was never pinned")
        .after(open(OURS).commands())
        .answers("PINNED")
        .numbering()
        .leaving("GET " + OURS.key(), OURS.pinned(1).text())
        .leaving("GET " + Arena.token("tok-1"), RUNNING)
        .leaving("EXISTS " + Arena.JOURNAL, "0")
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample second() {
    return pin("a hold that is pinned and plain again")
        .after(open(OURS.pinned(2)).commands())
        .answers("PINNED")
        .numbering()
        .leaving("GET " + OURS.key(), OURS.pinned(3).text());
  }

  private static ScriptExample kept() {
    var pinned = OURS.pinned(3).leased(AHold.LONG_AGO, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return pin("a hold that another call has pinned, though its lease is over by now")
        .after(open(pinned).commands())
        .answers("PINNED")
        .numbering()
        .leaving("GET " + pinned.key(), pinned.pinned(5).text())
        .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0");
  }

  private static ScriptExample whileRunning() {
    return pin("again, while the first call under the token runs")
        .after(open(OURS.pinned(1)).having(spentOn(RUNNING)).commands())
        .answers("PINNED")
        .numbering()
        .leaving("GET " + OURS.key(), OURS.pinned(3).text());
  }

  private static ScriptExample finished() {
    return pin("again, when the first call has its outcome")
        .after(open(OURS).having(spentOn("confirm\t%s\tNOT_HELD\t".formatted(DIGEST))).commands())
        .answers("REPLAY", "NOT_HELD\t")
        .leaving("GET " + OURS.key(), OURS.text());
  }

  private static ScriptExample several() {
    var theirs = aHold(4, "A-3");
    return pin("several calls, one of them for a hold that is not here")
        .keys(
            Arena.META,
            Arena.token("tok-1"),
            OURS.key(),
            Arena.token("tok-2"),
            aHold(9, "A-9").key(),
            Arena.token("tok-3"),
            theirs.key())
        .arguments(calls(3, 9, 4))
        .after(Arena.open().with(OURS, theirs).commands())
        .answers("SEVERAL")
        .numbering()
        .leaving("GET " + OURS.key(), OURS.pinned(1).text())
        .leaving("GET " + theirs.key(), theirs.pinned(1).text())
        .leaving("GET " + Arena.token("tok-3"), RUNNING)
        .leaving("EXISTS " + Arena.token("tok-2"), "0");
  }

  private static ScriptExample twice() {
    return pin("one hold by two calls at once, each under a number of its own")
        .keys(Arena.META, Arena.token("tok-1"), OURS.key(), Arena.token("tok-2"), OURS.key())
        .arguments(calls(3, 3))
        .after(open(OURS).commands())
        .answers("SEVERAL")
        .numbering()
        .leaving("GET " + OURS.key(), OURS.pinned(3).text())
        .leaving("GET " + Arena.token("tok-2"), RUNNING);
  }

  private static String[] calls(int... fences) {
    var calls =
        IntStream.of(fences)
            .mapToObj(fence -> arguments(AHold.SALT, fence, "500"))
            .flatMap(arguments -> Stream.of(arguments).skip(1));
    return Stream.concat(Stream.of(Arena.OURS), calls).toArray(String[]::new);
  }

  private static List<ScriptExample> spentTokens() {
    return List.of(
        spent(
            "a token of another action", "release\t%s\tRELEASED\t".formatted(DIGEST), "COLLISION"),
        spent("a token of other parameters", "confirm\t1:x\tNOT_HELD\t", "COLLISION"),
        spent("a token under another digest function", "confirm\t2:x\tNOT_HELD\t", "DRIFT"));
  }

  private static ScriptExample spent(String title, String entry, String word) {
    return pin(title)
        .after(open(OURS).having(spentOn(entry)).commands())
        .answers(word)
        .leaving("GET " + OURS.key(), OURS.text());
  }

  private static List<ScriptExample> refused() {
    var nearTheEnd = OURS.leased(AHold.FAR_AHEAD, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return List.of(
        pin("a hold that is not in this memory")
            .after(Arena.open().commands())
            .answers("ABSENT")
            .leaving("EXISTS " + Arena.token("tok-1"), "0"),
        after("the hold of another caller", OURS.by("other", "u1"), "NOT_KNOWN"),
        after("the hold of another requester", OURS.by("shop", "u2"), "NOT_HELD"),
        after("a lapsed hold", OURS.lapsed(), "ELAPSED"),
        after("a pinned hold past its window", OURS.pinned(1).pastItsWindow(), "ELAPSED"),
        after("a hold that was swept", OURS.ended("EXPIRED", "LEASE"), "ELAPSED"),
        after("a hold that was ended by force", OURS.ended("EXPIRED", "FORCED"), "NOT_HELD"),
        after("a hold that was released", OURS.ended("RELEASED", "").lapsed(), "NOT_HELD"),
        after("a hold that was confirmed", OURS.ended("CONFIRMED", ""), "NOT_HELD"),
        pin("with another salt")
            .arguments(arguments("f".repeat(16), 3, "500"))
            .after(open(OURS).commands())
            .answers("NOT_KNOWN"),
        pin("with another fence")
            .arguments(arguments(AHold.SALT, 2, "500"))
            .after(open(OURS).commands())
            .answers("STALE_FENCE"),
        pin("a hold whose window ends before clocks that differ so much could agree on it")
            .arguments(arguments(AHold.SALT, 3, "4000000000000"))
            .after(open(nearTheEnd).commands())
            .answers("ELAPSED")
            .leaving("GET " + OURS.key(), nearTheEnd.text()));
  }

  private static ScriptExample after(String title, AHold hold, String word) {
    return pin(title)
        .after(open(hold).commands())
        .answers(word)
        .leaving("GET " + hold.key(), hold.text())
        .leaving("EXISTS %s %s".formatted(Arena.token("tok-1"), Arena.JOURNAL), "0");
  }

  private static Arena open(AHold hold) {
    return Arena.open().with(hold);
  }

  private static String spentOn(String entry) {
    return "SET %s %s PX 50000".formatted(Arena.token("tok-1"), entry);
  }

  private static ScriptExample pin(String title) {
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), OURS.key())
        .arguments(arguments(AHold.SALT, 3, "500"));
  }

  private static String[] arguments(String salt, int fence, String skewMs) {
    return new String[] {
      Arena.OURS,
      "shop",
      "tok-1",
      DIGEST,
      CommonExamples.TOKEN_WINDOW_MS,
      salt,
      "u1",
      String.valueOf(Arena.fence(fence)),
      "10000",
      skewMs,
      "11000"
    };
  }
}
