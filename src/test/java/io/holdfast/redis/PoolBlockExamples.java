package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolBlockExamples implements ScriptExamples {
  @Override
  public String script() {
    return "pool/block";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(marked(), refused(), lifted(), CommonExamples.ofUnseeded(t -> mark(t, "A-1")));
  }

  private static List<ScriptExample> marked() {
    var lapsed = aHold(3, "A-1", "A-2").lapsed();
    return List.of(
        mark("free items", "A-1", "A-3")
            .after(Arena.open().commands())
            .answers("MARKED", "7", "<moment>", "")
            .andThen("MARKED")
            .renewing()
            .leaving("HMGET %s item:A-1 item:A-3".formatted(Arena.META), marks("0", "5"))
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        mark("an item beside one that is out of sale", "A-1", "A-2")
            .after(Arena.open().having(item("A-1", "4␣BLOCKED")).commands())
            .answers("MARKED", "7", "<moment>", "A-1")
            .andThen("MARKED")
            .renewing()
            .leaving("HGET %s item:A-1".formatted(Arena.META), "4 BLOCKED"),
        mark("an item of a lapsed hold", "A-1")
            .after(Arena.open().with(lapsed).commands())
            .answers("MARKED", "7", "<moment>", "")
            .andThen("MARKED")
            .renewing()
            .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
            .leaving("EXISTS " + Arena.item("A-2"), "0")
            .leaving(Arena.count("held"), "0"),
        mark("an item whose mark of another call has lapsed", "A-1")
            .after(Arena.open().having(item("A-1", "0␣BLOCKING␣1600000000000␣other-1")).commands())
            .answers("MARKED", "7", "<moment>", "")
            .andThen("MARKED")
            .renewing());
  }

  private static List<ScriptExample> refused() {
    return List.of(
        mark("an item that is held, beside a free one", "A-1", "A-2")
            .after(Arena.open().with(aHold(3, "A-1")).commands())
            .answers("TAKEN", "A-1")
            .leaving("HGET %s item:A-2".formatted(Arena.META), "0"),
        mark("an item of a lapsed hold that is being committed", "A-1")
            .after(Arena.open().with(aHold(3, "A-1").lapsed().pinned(1)).commands())
            .answers("TAKEN", "A-1"),
        mark("items that are sold and claimed", "A-1", "A-2", "A-3")
            .after(Arena.open().having(item("A-1", "4␣SOLD"), item("A-2", "4␣CLAIMED")).commands())
            .answers("TAKEN", "A-1\nA-2")
            .leaving("HGET %s item:A-3".formatted(Arena.META), "5"),
        mark("an item that does not exist", "A-1", "A-9")
            .after(Arena.open().commands())
            .answers("NO_SUCH_ITEM", "A-9"),
        mark("an item that another call is blocking", "A-1", "A-2")
            .after(
                Arena.open()
                    .having(item("A-1", "0␣BLOCKING␣%d␣other-1".formatted(AHold.FAR_AHEAD)))
                    .commands())
            .answers("BUSY")
            .leaving("HGET %s item:A-2".formatted(Arena.META), "0"));
  }

  private static List<ScriptExample> lifted() {
    var mine = "4␣BLOCKING␣%d␣me-1".formatted(AHold.FAR_AHEAD);
    var others = "5␣BLOCKING␣%d␣other-1".formatted(AHold.FAR_AHEAD);
    return List.of(
        lift("its marks, and no others", "A-1", "A-2", "A-3")
            .after(
                Arena.open()
                    .having(item("A-1", mine), item("A-2", others), item("A-3", "6␣BLOCKED"))
                    .commands())
            .answers("LIFTED")
            .leaving(
                "HMGET %s item:A-1 item:A-2 item:A-3".formatted(Arena.META),
                "4, %s, 6 BLOCKED".formatted(others.replace('␣', ' ')))
            .leaving("LRANGE %s 0 -1".formatted(Arena.FREED), "A-1"));
  }

  private static String item(String item, String value) {
    return "HSET %s item:%s %s".formatted(Arena.META, item, value);
  }

  private static String marks(String one, String other) {
    return "%s BLOCKING <moment> me-1, %s BLOCKING <moment> me-1".formatted(one, other);
  }

  private static ScriptExample mark(String title, String... items) {
    return call("MARK", title, items);
  }

  private static ScriptExample lift(String title, String... items) {
    return call("LIFT", title, items);
  }

  private static ScriptExample call(String verb, String title, String... items) {
    return example(title).arguments(Arena.OURS, verb, "me-1").andCalls(items);
  }
}
