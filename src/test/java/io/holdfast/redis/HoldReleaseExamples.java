package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
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
        List.of(released(), absent(), pinned()),
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
        .leaving("GET " + OURS.key(), ended)
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(Arena.count("held"), "1")
        .leaving(Arena.count("version"), "21")
        .leaving(
            "XRANGE %s - +".formatted(Arena.JOURNAL),
            "<id>, line, 7\t<moment>\trelease\tshop\ttok-1\t%s\t60000\tRELEASED\t%s"
                .formatted(CommonExamples.DIGEST, ended));
  }

  private static ScriptExample absent() {
    return release("a hold that is not in this memory")
        .after(Arena.open().commands())
        .answers("ABSENT")
        .leaving("EXISTS %s %s".formatted(Arena.token("tok-1"), Arena.JOURNAL), "0");
  }

  private static ScriptExample pinned() {
    var hold = OURS.pinned(3);
    return release("a hold that is being committed")
        .after(Arena.open().with(hold).commands())
        .answers("PINNED", hold.text(), "", "7")
        .leaving("GET " + hold.key(), hold.text())
        .leaving("EXISTS %s %s".formatted(Arena.token("tok-1"), Arena.JOURNAL), "0");
  }

  private static List<ScriptExample> refused() {
    return List.of(
        after("the hold of another caller", OURS.by("other", "u1"), "NOT_KNOWN"),
        after("a hold", OURS, "NOT_KNOWN").arguments(arguments("f".repeat(16))),
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
        .answers(word, "")
        .andThen("REPLAY")
        .leaving("GET " + hold.key(), hold.text())
        .leaving("XLEN " + Arena.JOURNAL, "1")
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample release(String title) {
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL, OURS.key())
        .arguments(arguments(AHold.SALT));
  }

  private static String[] arguments(String salt) {
    return new String[] {
      Arena.OURS, "shop", "tok-1", CommonExamples.DIGEST, CommonExamples.TOKEN_WINDOW_MS, salt, "u1"
    };
  }
}
