package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.time.Clock;
import java.util.List;

final class HoldExtendExamples implements ScriptExamples {
  private static final AHold OURS = aHold(3, "A-1", "A-2");

  @Override
  public String script() {
    return "hold/extend";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        extended(), refused(), CommonExamples.ofUnseeded(title -> extend(title, "u1", 3)));
  }

  private static List<ScriptExample> extended() {
    var soon = Clock.systemUTC().millis() + 60_000;
    var capped = OURS.leased(AHold.FAR_AHEAD, AHold.FAR_AHEAD + 9, 3_000_000_000_000L);
    var atTheEnd = OURS.leased(AHold.FAR_AHEAD + 9, AHold.FAR_AHEAD + 9, 3_000_000_000_000L);
    var nearlyOver = OURS.leased(soon, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return List.of(
        extend("a lease that is nearly over", "u1", 3)
            .after(Arena.open().with(nearlyOver).commands())
            .answers("EXTENDED", nearlyOver.text())
            .renewing()
            .leaving("EXISTS " + Arena.JOURNAL, "0")
            .leaving(Arena.count("version"), "20"),
        extend("a lease that the window cuts short", "u1", 3)
            .after(Arena.open().with(capped).commands())
            .answers("EXTENDED", atTheEnd.text())
            .renewing()
            .leaving(OURS.record(), atTheEnd.text())
            .leaving(
                "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                "%d, %d".formatted(OURS.fence(), AHold.FAR_AHEAD + 9)),
        extend("a hold that is being committed", "u1", 3)
            .after(
                Arena.open()
                    .with(nearlyOver.pinned(1))
                    .having("ZADD %s 1 %s".formatted(Arena.DUE, fence(3)))
                    .commands())
            .answers("EXTENDED", nearlyOver.pinned(1).text())
            .renewing()
            .leaving("ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE), "%s, 1".formatted(fence(3))),
        extend("a hold of units", "u1", 3)
            .after(Arena.stock("4 2/10").with(units(AHold.FAR_AHEAD)).commands())
            .answers("EXTENDED", units(AHold.FAR_AHEAD + 9).text())
            .renewing()
            .leaving(OURS.record(), units(AHold.FAR_AHEAD + 9).text())
            .leaving(
                "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                "%s, %d".formatted(fence(3), AHold.FAR_AHEAD + 9))
            .leaving("HMGET %s held sold version".formatted(Arena.META), "3, 2, 20"),
        extend("under a clock that has jumped back", "u1", 3)
            .after(Arena.open().with(OURS).commands())
            .answers("EXTENDED", OURS.text())
            .renewing(),
        extend("one hold twice, one that is another's and one that is not here", "u1", 3)
            .andCalls(call(3, "u1", 3))
            .andCalls(call(4, "u1", 4))
            .andCalls(call(5, "u1", 5))
            .after(Arena.open().with(capped, aHold(4, "A-4").by("shop", "u2")).commands())
            .answers("EXTENDED", atTheEnd.text())
            .andAnswers("EXTENDED", atTheEnd.text())
            .andAnswers("NOT_HELD")
            .andAnswers("ABSENT")
            .renewing()
            .leaving(OURS.record(), atTheEnd.text())
            .leaving("EXISTS " + Arena.JOURNAL, "0"));
  }

  private static AHold units(long leaseUntil) {
    return aHoldOf(3, 3)
        .noting("{\"a\":1}")
        .leased(leaseUntil, AHold.FAR_AHEAD + 9, 3_000_000_000_000L);
  }

  private static List<ScriptExample> refused() {
    return List.of(
        extend("a hold that is not in this memory", "u1", 3)
            .after(Arena.open().commands())
            .answers("ABSENT"),
        extend("with another salt", "u1", 3)
            .arguments(Arena.OURS, "shop", fence(3), "f".repeat(16), "u1", fence(3))
            .after(Arena.open().with(OURS).commands())
            .answers("NOT_KNOWN"),
        extend("the hold of another caller", "u1", 3)
            .after(Arena.open().with(OURS.by("other", "u1")).commands())
            .answers("NOT_KNOWN"),
        after("a lapsed hold", OURS.lapsed(), "ELAPSED"),
        after("a hold past its window", OURS.pastItsWindow(), "ELAPSED"),
        after("a hold whose lease the sweep has ended", OURS.ended("EXPIRED", "LEASE"), "ELAPSED"),
        after("a hold whose window was swept", OURS.ended("EXPIRED", "WINDOW"), "ELAPSED"),
        after("a hold that was ended by force", OURS.ended("EXPIRED", "FORCED"), "NOT_HELD"),
        after("a hold that was lost", OURS.ended("EXPIRED", "LOST"), "NOT_HELD"),
        after("a hold that was released", OURS.ended("RELEASED", "").lapsed(), "NOT_HELD"),
        after("the hold of another requester", OURS.by("shop", "u2"), "NOT_HELD"),
        extend("with another fence", "u1", 2)
            .after(Arena.open().with(OURS).commands())
            .answers("STALE_FENCE"));
  }

  private static ScriptExample after(String title, AHold hold, String word) {
    return extend(title, "u1", 3)
        .after(Arena.open().with(hold).commands())
        .answers(word)
        .leaving(hold.record(), hold.text());
  }

  private static ScriptExample extend(String title, String requester, int fence) {
    return example(title).arguments(Arena.OURS).andCalls(call(3, requester, fence));
  }

  private static String[] call(int number, String requester, int known) {
    return new String[] {"shop", fence(number), AHold.SALT, requester, fence(known)};
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
