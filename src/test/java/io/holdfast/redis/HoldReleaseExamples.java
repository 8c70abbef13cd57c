package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldReleaseExamples implements ScriptExamples {
  private static final AHold OURS = aHold(3, "A-1", "A-2");

  @Override
  public String script() {
    return "hold/release";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(released(), units(), pinnedUnits(), absent(), pinned(), twice()),
        refused(),
        CommonExamples.ofToken("release", HoldReleaseExamples::release),
        CommonExamples.ofUnseeded(HoldReleaseExamples::release));
  }

  private static ScriptExample released() {
    var ended = OURS.ended("RELEASED", "").text();
    return release("one of two holds")
        .after(Arena.open().with(OURS, aHold(4, "A-4")).commands())
        .answers("RELEASED", ended)
        .andThen("REPLAY")
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving(OURS.record(), ended)
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(Arena.count("held"), "1")
        .leaving(Arena.count("version"), "21")
        .leaving(Arena.token("tok-1"), Arena.entry("release", "RELEASED\t" + ended))
        .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("release", "RELEASED\t" + ended)));
  }

  private static ScriptExample units() {
    var hold = aHoldOf(3, 3).noting("{\"a\":1}");
    var ended = hold.ended("RELEASED", "").text();
    return release("units, twice")
        .andCalls(call("tok-2", hold, AHold.SALT))
        .after(Arena.stock("4 2/10").with(hold, aHoldOf(4, 2)).commands())
        .answers("RELEASED", ended)
        .andAnswers("NOT_HELD")
        .andThen("REPLAY")
        .leaving(hold.record(), ended)
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving("HMGET %s held sold version freed".formatted(Arena.META), "2, 2, 21, nothing")
        .leaving("EXISTS " + Arena.FREED, "0")
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf(
                Arena.line("release", "RELEASED\t" + ended),
                Arena.line("release", "tok-2", "NOT_HELD")));
  }

  private static ScriptExample pinnedUnits() {
    var hold = aHoldOf(3, 3).pinned(1);
    return release("units that are being committed")
        .after(Arena.stock("4 2/10").with(hold).commands())
        .answers("PINNED", "", "7", hold.text())
        .leaving(Arena.count("held"), "3")
        .keepingNothing();
  }

  private static ScriptExample absent() {
    return release("a hold that is not in this memory")
        .after(Arena.open().commands())
        .answers("ABSENT")
        .keepingNothing();
  }

  private static ScriptExample pinned() {
    var hold = OURS.pinned(3);
    return release("a hold that is being committed")
        .after(Arena.open().with(hold).commands())
        .answers("PINNED", "", "7", hold.text())
        .leaving(hold.record(), hold.text())
        .keepingNothing();
  }

  private static List<ScriptExample> refused() {
    return List.of(
        after("the hold of another caller", OURS.by("other", "u1"), "NOT_KNOWN"),
        after("a hold", OURS, "NOT_KNOWN")
            .arguments(Arena.OURS)
            .andCalls(call("tok-1", OURS, "f".repeat(16))),
        after("the hold of another requester", OURS.by("shop", "u2"), "NOT_HELD"),
        after("a lapsed hold", OURS.lapsed(), "NOT_HELD"),
        after("a lapsed hold that is being committed", OURS.lapsed().pinned(1), "NOT_HELD"),
        after(
            "another's hold that is being committed", OURS.by("shop", "u2").pinned(1), "NOT_HELD"),
        after("a hold that was released before", OURS.ended("RELEASED", ""), "NOT_HELD"),
        after("a hold that was confirmed", OURS.ended("CONFIRMED", ""), "NOT_HELD"));
  }

  private static ScriptExample after(String title, AHold hold, String word) {
    return release(title)
        .after(Arena.open().with(hold).commands())
        .answers(word)
        .andThen("REPLAY")
        .leaving(hold.record(), hold.text())
        .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("release", word)))
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample twice() {
    var other = aHold(4, "A-4");
    return release("one hold by two calls, another one, and once more under the first token")
        .andCalls(call("tok-2", OURS, AHold.SALT))
        .andCalls(call("tok-3", other, AHold.SALT))
        .andCalls(call("tok-1", OURS, AHold.SALT))
        .after(Arena.open().with(OURS, other).commands())
        .answers("RELEASED", OURS.ended("RELEASED", "").text())
        .andAnswers("NOT_HELD")
        .andAnswers("RELEASED", other.ended("RELEASED", "").text())
        .andAnswers("REPLAY", "RELEASED", OURS.ended("RELEASED", "").text())
        .andThen("REPLAY")
        .leaving("HMGET %s held version lines".formatted(Arena.META), "0, 22, 43")
        .leaving(Arena.count("freed"), "3")
        .leaving("LRANGE %s 0 -1".formatted(Arena.FREED), "A-1, A-2, A-4")
        .leaving(Arena.REQUESTERS, "")
        .leaving("EXISTS " + Arena.DUE, "0");
  }

  private static ScriptExample release(String title) {
    return example(title).arguments(Arena.OURS).andCalls(call("tok-1", OURS, AHold.SALT));
  }

  private static String[] call(String token, AHold hold, String salt) {
    return new String[] {
      "shop", token, CommonExamples.DIGEST, String.valueOf(hold.fence()), salt, "u1"
    };
  }
}
