package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldKeepExamples implements ScriptExamples {
  private static final AHold PINNED = aHold(3, "A-1", "A-2").pinned(3);
  private static final AHold UNITS = aHoldOf(3, 3).noting("{\"a\":1}").pinned(3);
  private static final long UNTIL = AHold.FAR_AHEAD + 5_000;

  @Override
  public String script() {
    return "hold/keep";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            keep("what is claimed at this pin")
                .after(
                    Arena.open()
                        .with(PINNED)
                        .having("ZADD %s 1 %d".formatted(Arena.DUE, PINNED.fence()))
                        .commands())
                .answers("KEPT")
                .renewing()
                .leaving(PINNED.record(), PINNED.text())
                .leaving(
                    "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                    "%d, %d".formatted(PINNED.fence(), UNTIL))
                .leaving("EXISTS " + Arena.JOURNAL, "0"),
            keep("one pin twice, another hold's and an older pin")
                .andCalls(call(3, "3"))
                .andCalls(call(4, "3"))
                .andCalls(call(3, "1"))
                .after(Arena.open().with(PINNED, aHold(4, "A-4").pinned(3)).commands())
                .answers("KEPT")
                .andAnswers("KEPT")
                .andAnswers("KEPT")
                .andAnswers("OTHER")
                .renewing()
                .leaving("ZCOUNT %s %d %d".formatted(Arena.DUE, UNTIL, UNTIL), "2"),
            keep("a hold of units")
                .after(
                    Arena.stock("4 2/10")
                        .with(UNITS)
                        .having("ZADD %s 1 %d".formatted(Arena.DUE, UNITS.fence()))
                        .commands())
                .answers("KEPT")
                .renewing()
                .leaving(UNITS.record(), UNITS.text())
                .leaving(
                    "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                    "%d, %d".formatted(UNITS.fence(), UNTIL))
                .leaving("HMGET %s held sold version".formatted(Arena.META), "3, 2, 20"),
            refuses("a hold that was pinned anew", PINNED.pinned(5)),
            refuses("a hold that is plain", PINNED.pinned(4)),
            refuses("a hold that has ended", PINNED.ended("CONFIRMED", "")),
            keep("a hold that is not in this memory")
                .after(Arena.open().commands())
                .answers("OTHER")),
        CommonExamples.ofUnseeded(HoldKeepExamples::keep));
  }

  private static ScriptExample refuses(String title, AHold hold) {
    return keep(title)
        .after(Arena.open().with(hold).commands())
        .answers("OTHER")
        .leaving(hold.record(), hold.text());
  }

  private static ScriptExample keep(String title) {
    return example(title).arguments(Arena.OURS).andCalls(call(3, "3"));
  }

  private static String[] call(int number, String pinNo) {
    return new String[] {String.valueOf(Arena.fence(number)), pinNo, Long.toString(UNTIL)};
  }
}
