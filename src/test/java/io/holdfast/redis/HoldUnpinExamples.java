package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldUnpinExamples implements ScriptExamples {
  private static final AHold PINNED = aHold(3, "A-1", "A-2").pinned(3);
  private static final AHold UNITS = aHoldOf(3, 3).noting("{\"a\":1}").pinned(3);

  @Override
  public String script() {
    return "hold/unpin";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            unpin("the pin that Postgres has shut out")
                .after(
                    Arena.open()
                        .with(PINNED)
                        .having("ZADD %s 1 %d".formatted(Arena.DUE, PINNED.fence()))
                        .commands())
                .answers("UNPINNED")
                .andThen("OTHER")
                .leaving(PINNED.record(), PINNED.pinned(4).text())
                .leaving(
                    "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                    "%d, %d".formatted(PINNED.fence(), AHold.FAR_AHEAD))
                .leaving("EXISTS " + Arena.JOURNAL, "0"),
            unpin("one pin twice, another hold's and one that is not here")
                .andCalls(call(3, "3"))
                .andCalls(call(4, "3"))
                .andCalls(call(5, "3"))
                .after(Arena.open().with(PINNED, aHold(4, "A-4").pinned(3)).commands())
                .answers("UNPINNED")
                .andAnswers("OTHER")
                .andAnswers("UNPINNED")
                .andAnswers("OTHER")
                .andThen("OTHER")
                .leaving(PINNED.record(), PINNED.pinned(4).text())
                .leaving(aHold(4).record(), aHold(4, "A-4").pinned(4).text()),
            unpin("a hold of units")
                .after(
                    Arena.stock("4 2/10")
                        .with(UNITS)
                        .having("ZADD %s 1 %d".formatted(Arena.DUE, UNITS.fence()))
                        .commands())
                .answers("UNPINNED")
                .andThen("OTHER")
                .leaving(UNITS.record(), UNITS.pinned(4).text())
                .leaving(
                    "ZRANGE %s 0 -1 WITHSCORES".formatted(Arena.DUE),
                    "%d, %d".formatted(UNITS.fence(), AHold.FAR_AHEAD))
                .leaving("HMGET %s held sold version".formatted(Arena.META), "3, 2, 20"),
            refuses("a hold that was pinned anew", PINNED.pinned(5)),
            refuses("a hold that is plain", PINNED.pinned(4)),
            refuses("a hold that has ended", PINNED.ended("CONFIRMED", "")),
            unpin("a hold that is not in this memory")
                .after(Arena.open().commands())
                .answers("OTHER")),
        CommonExamples.ofUnseeded(HoldUnpinExamples::unpin));
  }

  private static ScriptExample refuses(String title, AHold hold) {
    return unpin(title)
        .after(Arena.open().with(hold).commands())
        .answers("OTHER")
        .leaving(hold.record(), hold.text());
  }

  private static ScriptExample unpin(String title) {
    return example(title).arguments(Arena.OURS).andCalls(call(3, "3"));
  }

  private static String[] call(int number, String pinNo) {
    return new String[] {String.valueOf(Arena.fence(number)), pinNo, "4"};
  }
}
