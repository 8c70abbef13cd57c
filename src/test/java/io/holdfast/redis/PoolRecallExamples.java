package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.time.Clock;
import java.util.List;

final class PoolRecallExamples implements ScriptExamples {
  private static final String SOON = String.valueOf(Clock.systemUTC().millis() + 600_000);

  @Override
  public String script() {
    return "pool/recall";
  }

  @Override
  public List<ScriptExample> examples() {
    var kept = "SET %s release\tx\tNOT_HELD\t PX 40000".formatted(Arena.token("t2"));
    return together(
        List.of(
            recall("two tokens, one of which is there", SOON)
                .after(Arena.seeding().having(kept).commands())
                .answers("RECALLED")
                .leaving("GET " + Arena.token("t1"), "place_hold\tx\tTAKEN\tA-1")
                .leaving("GET " + Arena.token("t2"), "release\tx\tNOT_HELD\t"),
            recall("a token whose window has just ended", "1600000000000")
                .after(Arena.seeding().commands())
                .answers("RECALLED")
                .leaving("EXISTS " + Arena.token("t1"), "0")
                .leaving("EXISTS " + Arena.token("t2"), "1")),
        CommonExamples.ofSuperseded(title -> recall(title, SOON)));
  }

  private static ScriptExample recall(String title, String until) {
    return example(title)
        .keys(Arena.META, Arena.token("t1"), Arena.token("t2"))
        .arguments(
            Arena.OURS,
            Arena.EPOCH,
            "place_hold\tx\tTAKEN\tA-1",
            until,
            "place_hold\tx\tTAKEN\tA-2",
            SOON);
  }
}
