package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldHolderExamples implements ScriptExamples {
  private static final AHold LIVE = aHold(3, "A-1", "A-2");

  @Override
  public String script() {
    return "hold/holder";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            holder("an item that is held")
                .after(Arena.open().with(LIVE).commands())
                .answers("HOLDS", "<moment>\u001e" + LIVE.text())
                .answeringAnew(),
            holder("an item that nobody holds")
                .after(Arena.open().commands())
                .answers("HOLDS", "<moment>\u001e")
                .answeringAnew(),
            holder("an item whose hold has left no record")
                .after(
                    Arena.open()
                        .having("SET %s 99 PX 50000".formatted(Arena.item("A-1")))
                        .commands())
                .answers("HOLDS", "<moment>\u001e")
                .answeringAnew(),
            holder("two items of one hold, and one that is free")
                .andCalls("A-2")
                .andCalls("A-3")
                .after(Arena.open().with(LIVE).commands())
                .answers("HOLDS", "<moment>\u001e" + LIVE.text())
                .andAnswers("HOLDS", "<moment>\u001e" + LIVE.text())
                .andAnswers("HOLDS", "<moment>\u001e")
                .answeringAnew()),
        CommonExamples.ofUnseeded(HoldHolderExamples::holder));
  }

  private static ScriptExample holder(String title) {
    return example(title).arguments(Arena.OURS).andCalls("A-1");
  }
}
