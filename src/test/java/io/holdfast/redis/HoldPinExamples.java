package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldPinExamples implements ScriptExamples {
  private static final AHold OURS = aHold(3, "A-1", "A-2");
  private static final String RUNNING =
      "confirm\t%s\tRUNNING\t%d".formatted(DIGEST, AHold.FAR_AHEAD);
  private static final String NOTED = "<moment>\t" + RUNNING;

  @Override
  public String script() {
    return "hold/pin";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            first(), second(), kept(), whileRunning(), forgotten(), finished(), several(), twice()),
        List.of(oneToken(), units()),
        refused(),
        spentTokens(),
        CommonExamples.ofUnseeded(HoldPinExamples::pin));
  }

  private static ScriptExample first() {
    return pin("a hold that was never pinned")
        .after(open(OURS).commands())
        .answers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(1).text())
        .leaving(Arena.token("tok-1"), NOTED)
        .leaving("EXISTS " + Arena.JOURNAL, "0")
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample second() {
    return pin("a hold that is pinned and plain again")
        .after(open(OURS.pinned(2)).commands())
        .answers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(3).text());
  }

  private static ScriptExample kept() {
    var pinned = OURS.pinned(3).leased(AHold.LONG_AGO, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return pin("a hold that another call has pinned, though its lease is over by now")
        .after(open(pinned).commands())
        .answers("PINNED")
        .numbering()
        .leaving(pinned.record(), pinned.pinned(5).text())
        .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0");
  }

  private static ScriptExample whileRunning() {
    return pin("again, while the first call under the token runs")
        .after(open(OURS.pinned(1)).spent("tok-1", RUNNING).commands())
        .answers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(3).text());
  }

  private static ScriptExample forgotten() {
    return pin("again, when only Postgres still has the outcome")
        .after(
            open(OURS)
                .having("SET %s confirm".formatted(Arena.key("committed:shop\ttok-1")))
                .commands())
        .answers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(1).text());
  }

  private static ScriptExample finished() {
    return pin("again, when the first call has its outcome")
        .after(open(OURS).spent("tok-1", "confirm\t%s\tNOT_HELD".formatted(DIGEST)).commands())
        .answers("REPLAY", "NOT_HELD")
        .leaving(OURS.record(), OURS.text());
  }

  private static ScriptExample several() {
    var theirs = aHold(4, "A-3");
    return pin("several holds, one of which is not here")
        .andCalls(call("tok-2", AHold.SALT, 9, 9))
        .andCalls(call("tok-3", AHold.SALT, 4, 4))
        .after(Arena.open().with(OURS, theirs).commands())
        .answers("PINNED")
        .andAnswers("ABSENT")
        .andAnswers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(1).text())
        .leaving(theirs.record(), theirs.pinned(1).text())
        .leaving(Arena.token("tok-3"), NOTED)
        .leaving(Arena.token("tok-2"), "nothing");
  }

  private static ScriptExample twice() {
    return pin("one hold by two calls at once, each under a number of its own")
        .andCalls(call("tok-2", AHold.SALT, 3, 3))
        .after(open(OURS).commands())
        .answers("PINNED")
        .andAnswers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(3).text());
  }

  private static ScriptExample units() {
    var hold = aHoldOf(3, 3).noting("{\"a\":1}");
    return pin("a hold of units")
        .after(Arena.stock("4 2/10").with(hold).commands())
        .answers("PINNED", "<moment>", "7", hold.pinned(1).text())
        .numbering()
        .leaving(hold.record(), hold.pinned(1).text())
        .leaving("HMGET %s held sold version".formatted(Arena.META), "3, 2, 20");
  }

  private static ScriptExample oneToken() {
    var other = call("tok-1", AHold.SALT, 3, 3);
    other[2] = CommonExamples.OTHER_DIGEST;
    return pin("one token twice, while it runs, and for other parameters")
        .andCalls(call("tok-1", AHold.SALT, 3, 3))
        .andCalls(other)
        .after(open(OURS).commands())
        .answers("PINNED")
        .andAnswers("PINNED")
        .andAnswers("PINNED")
        .numbering()
        .leaving(OURS.record(), OURS.pinned(5).text());
  }

  private static List<ScriptExample> spentTokens() {
    return List.of(
        spent("a token of another action", "release\t%s\tRELEASED".formatted(DIGEST), "COLLISION"),
        spent("a token of other parameters", "confirm\t1:x\tNOT_HELD", "COLLISION"),
        spent("a token under another digest function", "confirm\t2:x\tNOT_HELD", "DRIFT"));
  }

  private static ScriptExample spent(String title, String entry, String word) {
    return pin(title)
        .after(open(OURS).spent("tok-1", entry).commands())
        .answers(word)
        .leaving(OURS.record(), OURS.text());
  }

  private static List<ScriptExample> refused() {
    var nearTheEnd = OURS.leased(AHold.FAR_AHEAD, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return List.of(
        pin("a hold that is not in this memory")
            .after(Arena.open().commands())
            .answers("ABSENT")
            .keepingNothing(),
        after("the hold of another caller", OURS.by("other", "u1"), "NOT_KNOWN"),
        after("the hold of another requester", OURS.by("shop", "u2"), "NOT_HELD"),
        after("a lapsed hold", OURS.lapsed(), "ELAPSED"),
        after("a pinned hold past its window", OURS.pinned(1).pastItsWindow(), "ELAPSED"),
        after("a hold that was swept", OURS.ended("EXPIRED", "LEASE"), "ELAPSED"),
        after("a hold that was ended by force", OURS.ended("EXPIRED", "FORCED"), "NOT_HELD"),
        after("a hold that was released", OURS.ended("RELEASED", "").lapsed(), "NOT_HELD"),
        after("a hold that was confirmed", OURS.ended("CONFIRMED", ""), "NOT_HELD"),
        pin("with another salt", "500", call("tok-1", "f".repeat(16), 3, 3))
            .after(open(OURS).commands())
            .answers("NOT_KNOWN"),
        pin("with another fence", "500", call("tok-1", AHold.SALT, 3, 2))
            .after(open(OURS).commands())
            .answers("STALE_FENCE"),
        pin(
                "a hold whose window ends before clocks that differ so much could agree on it",
                "4000000000000",
                call("tok-1", AHold.SALT, 3, 3))
            .after(open(nearTheEnd).commands())
            .answers("CLOSING")
            .leaving(OURS.record(), nearTheEnd.text()));
  }

  private static ScriptExample after(String title, AHold hold, String word) {
    return pin(title)
        .after(open(hold).commands())
        .answers(word)
        .leaving(hold.record(), hold.text())
        .keepingNothing();
  }

  private static Arena open(AHold hold) {
    return Arena.open().with(hold);
  }

  private static ScriptExample pin(String title) {
    return pin(title, "500", call("tok-1", AHold.SALT, 3, 3));
  }

  private static ScriptExample pin(String title, String skewMs, String... call) {
    return example(title).arguments(Arena.OURS, "10000", skewMs, "11000").andCalls(call);
  }

  private static String[] call(String token, String salt, int number, int known) {
    return new String[] {"shop", token, DIGEST, fence(number), salt, "u1", fence(known)};
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
