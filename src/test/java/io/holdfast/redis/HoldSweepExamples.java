package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldSweepExamples implements ScriptExamples {

  @Override
  public String script() {
    return "hold/sweep";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        swept(),
        units(),
        unusual(),
        tokens(),
        CommonExamples.ofUnseeded(title -> sweep(title, 10)));
  }

  private static List<ScriptExample> swept() {
    var lapsed = aHold(3, "A-1", "A-2").lapsed();
    var over = aHold(4, "A-3").by("shop", "u2").pastItsWindow();
    return List.of(
        sweep("what is due, and not what lives", 10)
            .after(Arena.open().with(lapsed, over, aHold(5, "A-4")).commands())
            .answers("SWEPT", "" + AHold.FAR_AHEAD)
            .andAnswers("EXPIRED")
            .andAnswers("EXPIRED")
            .answeringAnew()
            .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
            .leaving(over.record(), over.ended("EXPIRED", "WINDOW").text())
            .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-3")), "0")
            .leaving("GET " + Arena.item("A-4"), fence(5))
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(5))
            .leaving(Arena.REQUESTERS, "shop\tu1, 1")
            .leaving(Arena.count("held"), "1")
            .leaving(Arena.count("version"), "22")
            .leaving(Arena.ENTRIES, Arena.entryOf(lineOf(lapsed), lineOf(over))),
        sweep("nothing, where nothing is due", 10)
            .after(Arena.open().with(aHold(5, "A-4")).commands())
            .answers("SWEPT", "" + AHold.FAR_AHEAD)
            .leaving("EXISTS " + Arena.JOURNAL, "0")
            .leaving(Arena.count("version"), "20"));
  }

  /// The size of a hold of units does not count as work.
  private static List<ScriptExample> units() {
    var lapsed = aHoldOf(3, 500).lapsed();
    var over = aHoldOf(4, 300).by("shop", "u2").pastItsWindow();
    var pinned = aHoldOf(5, 20).by("shop", "u3").pinned(1).lapsed();
    return List.of(
        sweep("units that are due, and not those that are being committed", 10)
            .after(Arena.stock("4 2/1000").with(lapsed, over, pinned, aHoldOf(6, 4)).commands())
            .answers("SWEPT", "<moment>")
            .andAnswers("EXPIRED")
            .andAnswers("EXPIRED")
            .andAnswers("PINNED", "7", pinned.text())
            .answeringAnew()
            .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
            .leaving(over.record(), over.ended("EXPIRED", "WINDOW").text())
            .leaving(pinned.record(), pinned.text())
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(5) + ", " + fence(6))
            .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0")
            .leaving("HMGET %s held sold version".formatted(Arena.META), "24, 2, 22")
            .leaving("EXISTS " + Arena.FREED, "0")
            .leaving(Arena.ENTRIES, Arena.entryOf(lineOf(lapsed), lineOf(over))));
  }

  private static List<ScriptExample> unusual() {
    var lapsed = aHold(3, "A-1", "A-2").lapsed();
    var newer = aHold(6, "A-2").by("shop", "u2");
    var pinned = aHold(3, "A-1", "A-2").pinned(1).lapsed();
    return List.of(
        sweep("a hold that is being committed", 10)
            .after(Arena.open().with(pinned).commands())
            .answers("SWEPT")
            .andAnswers("PINNED", "7", pinned.text())
            .answeringAnew()
            .leaving(pinned.record(), pinned.text())
            .leaving("GET " + Arena.item("A-1"), fence(3))
            .leaving("EXISTS " + Arena.JOURNAL, "0")
            .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0"),
        sweep("a hold that is being committed for longer than its items last", 10)
            .after(
                Arena.open()
                    .with(pinned, newer)
                    .having("DEL " + Arena.item("A-1"))
                    .having("PEXPIRE %s 9000000".formatted(Arena.item("A-2")))
                    .commands())
            .answers("SWEPT")
            .andAnswers("PINNED", "7", pinned.text())
            .answeringAnew()
            .leaving("GET " + Arena.item("A-1"), fence(3))
            .leaving("GET " + Arena.item("A-2"), fence(6))
            .leaving("PEXPIRE %s 8000000 GT".formatted(Arena.item("A-2")), "0"),
        sweep("a hold whose record is gone", 10)
            .after(Arena.open().with(lapsed).having("DEL " + Arena.HOLDS).commands())
            .answers("SWEPT")
            .leaving("EXISTS %s %s".formatted(Arena.DUE, Arena.JOURNAL), "0"),
        sweep("a hold that has ended, but stayed among the due", 10)
            .after(
                Arena.open()
                    .with(aHold(3, "A-1").ended("RELEASED", ""))
                    .having("ZADD %s 1 %s".formatted(Arena.DUE, fence(3)))
                    .commands())
            .answers("SWEPT")
            .leaving(aHold(3).record(), aHold(3, "A-1").ended("RELEASED", "").text())
            .leaving("EXISTS %s %s".formatted(Arena.DUE, Arena.JOURNAL), "0")
            .leaving(Arena.count("held"), "0"),
        sweep("a hold that outlived its items, one of which is another's", 10)
            .after(Arena.open().with(lapsed, newer).having("DEL " + Arena.item("A-1")).commands())
            .answers("SWEPT", "" + AHold.FAR_AHEAD)
            .andAnswers("EXPIRED")
            .answeringAnew()
            .leaving("GET " + Arena.item("A-2"), fence(6))
            .leaving(Arena.REQUESTERS, "shop\tu2, 1")
            .leaving(Arena.count("held"), "1"));
  }

  /// The sweep has to come again when the bucket of a token that counts is old enough to go.
  private static List<ScriptExample> tokens() {
    var spent = "release\tx\tNOT_HELD";
    return List.of(
        sweep("tokens that no window needs any more", 10)
            .after(
                Arena.open()
                    .spent("tok-1", 2 * Arena.WINDOW_MS, spent)
                    .spent("tok-2", 3 * Arena.WINDOW_MS, spent)
                    .commands())
            .answers("SWEPT", "")
            .leaving(Arena.token("tok-1"), "nothing")
            .leaving(Arena.token("tok-2"), "nothing")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        sweep("tokens that still count", 10)
            .after(Arena.open().with(aHold(5, "A-4")).spent("tok-1", 0, spent).commands())
            .answers("SWEPT", "<moment>")
            .leaving(Arena.token("tok-1"), "<moment>\t" + spent));
  }

  private static ScriptExample sweep(String title, int count) {
    return example(title).arguments(Arena.OURS, String.valueOf(count));
  }

  private static String lineOf(AHold hold) {
    var reason = hold.leaseUntil() == hold.expiresAt() ? "WINDOW" : "LEASE";
    return Arena.UNCAUSED + "EXPIRED\t" + hold.ended("EXPIRED", reason).text();
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
