package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.time.Clock;
import java.util.List;

final class PoolRestoreTokensExamples implements ScriptExamples {
  private static final String SOON = String.valueOf(Clock.systemUTC().millis() + 600_000);
  private static final String KEPT = "HGET %s shop\tt1".formatted(Arena.key("kept"));

  @Override
  public String script() {
    return "pool/restore-tokens";
  }

  @Override
  public List<ScriptExample> examples() {
    var kept = "release\tx\tNOT_HELD";
    return together(
        List.of(
            recall("two tokens, one of which is there", SOON)
                .after(Arena.seeding().spent("t2", Arena.WINDOW_MS - 600_000, kept).commands())
                .answers("RECALLED")
                .leaving(Arena.token("t1"), "<moment>\tplace_hold\tx\tTAKEN\tA-1")
                .leaving(Arena.token("t2"), "<moment>\trelease\tx\tNOT_HELD"),
            recall("a token whose window has ended", "" + AHold.LONG_AGO)
                .after(Arena.seeding().commands())
                .answers("RECALLED")
                .leaving(Arena.token("t1"), "nothing")
                .leaving(Arena.token("t2"), "<moment>\tplace_hold\tx\tTAKEN\tA-2"),
            recall("a token of a server whose clock was ahead", "" + AHold.FAR_AHEAD)
                .after(Arena.seeding().commands())
                .answers("RECALLED")
                .leaving(Arena.token("t1"), "<moment>\tplace_hold\tx\tTAKEN\tA-1")
                .leaving(KEPT, (AHold.FAR_AHEAD - Arena.WINDOW_MS) + "\tplace_hold\tx\tTAKEN\tA-1")
                .leaving("EXISTS " + Arena.key("committed:shop\tt1"), "0"),
            example("a token of a commit that Postgres replays for longer")
                .arguments(Arena.OURS, Arena.EPOCH)
                .andCalls("shop", "t1", "confirm\tx\tCONFIRMED\tA-1", "" + AHold.FAR_AHEAD)
                .after(Arena.seeding().commands())
                .answers("RECALLED")
                .leaving(Arena.token("t1"), "<moment>\tconfirm\tx\tCONFIRMED\tA-1")
                .leaving("GET " + Arena.key("committed:shop\tt1"), "confirm")
                .leaving("EXISTS " + Arena.key("kept"), "0"),
            recall("a token whose window is that of the pool", SOON)
                .after(Arena.seeding().commands())
                .answers("RECALLED")
                .leaving(
                    "EXISTS %s %s".formatted(Arena.key("committed:shop\tt1"), Arena.key("kept")),
                    "0")),
        CommonExamples.ofSuperseded(title -> recall(title, SOON)));
  }

  private static ScriptExample recall(String title, String until) {
    return example(title)
        .arguments(Arena.OURS, Arena.EPOCH)
        .andCalls("shop", "t1", "place_hold\tx\tTAKEN\tA-1", until)
        .andCalls("shop", "t2", "place_hold\tx\tTAKEN\tA-2", SOON);
  }
}
