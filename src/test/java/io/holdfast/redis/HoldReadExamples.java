package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldReadExamples implements ScriptExamples {
  private static final AHold LIVE = aHold(3, "A-1", "A-2");
  private static final AHold ENDED = aHold(5, "A-1").ended("EXPIRED", "LEASE");

  @Override
  public String script() {
    return "hold/read";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            read("a live hold, an unknown one and an ended one")
                .after(Arena.open().with(LIVE, ENDED).commands())
                .answers("HOLDS", "<moment>", LIVE.text(), "", ENDED.text())
                .answeringAnew()),
        CommonExamples.ofUnseeded(HoldReadExamples::read));
  }

  private static ScriptExample read(String title) {
    return example(title)
        .keys(Arena.META, LIVE.key(), aHold(4).key(), ENDED.key())
        .arguments(Arena.OURS);
  }
}
