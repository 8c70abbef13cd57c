package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldRecollectExamples implements ScriptExamples {
  private static final AHold HOLD = aHold(3, "A-1");

  @Override
  public String script() {
    return "hold/recollect";
  }

  @Override
  public List<ScriptExample> examples() {
    var yes =
        "place_hold\t%s\tHELD\t%d\t%s\t%d".formatted(DIGEST, HOLD.fence(), AHold.SALT, 1_600_000L);
    var no = "release\t%s\tNOT_HELD\t".formatted(DIGEST);
    return together(
        List.of(
            recollect("a token that got a hold")
                .after(Arena.open().with(HOLD).having(spent(yes)).commands())
                .answers("SPENT")
                .answeringAnew(),
            recollect("a token that got nothing")
                .after(Arena.open().having(spent(no)).commands())
                .answers("SPENT")
                .answeringAnew(),
            recollect("a token that was not used")
                .after(Arena.open().commands())
                .answers("UNSPENT")),
        CommonExamples.ofUnseeded(HoldRecollectExamples::recollect));
  }

  private static String spent(String entry) {
    return "SET %s %s PX 50000".formatted(Arena.token("tok-1"), entry);
  }

  private static ScriptExample recollect(String title) {
    return example(title).keys(Arena.META, Arena.token("tok-1")).arguments(Arena.OURS);
  }
}
