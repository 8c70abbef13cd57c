package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolSurvivorsExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/survivors";
  }

  @Override
  public List<ScriptExample> examples() {
    var lapsed = aHold(3, "A-1").lapsed();
    var live = aHold(4, "A-2");
    return together(
        List.of(
            survivors("what is there, lapsed or not", "0", "99")
                .after(Arena.seeding().with(live, lapsed).commands())
                .answers("SURVIVORS", fence(3) + "\n" + fence(4)),
            survivors("a part of it", "1", "1")
                .after(Arena.seeding().with(live, lapsed).commands())
                .answers("SURVIVORS", fence(4)),
            survivors("an empty memory", "0", "99")
                .after(Arena.seeding().commands())
                .answers("SURVIVORS", "")),
        CommonExamples.ofSuperseded(title -> survivors(title, "0", "99")));
  }

  private static ScriptExample survivors(String title, String from, String to) {
    return example(title).arguments(Arena.OURS, Arena.EPOCH, from, to);
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
