package io.holdfast.journal;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class AlignExamples implements ScriptExamples {
  private static final String OURS = "a".repeat(40);
  private static final String META = "HSET {p:arena}:meta state SEEDING epoch 7 run_id ";
  private static final String ADD = "XADD {p:arena}:journal %s line 7\t1";

  @Override
  public String script() {
    return "journal/align";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        align("no journal").after(META + OURS).answers("ALIGNED"),
        align("one that is behind").after(META + OURS, ADD.formatted("4-9")).answers("ALIGNED"),
        align("by a count").after(META + OURS, ADD.formatted("5-2")).answers("ALIGNED"),
        align("one that is ahead").after(META + OURS, ADD.formatted("5-4")).answers("ALIGNED"),
        align("another life").after(META + "b".repeat(40)).answers("UNSEEDED"));
  }

  private static ScriptExample align(String title) {
    return example(title).keys("{p:arena}:journal", "{p:arena}:meta").arguments(OURS, "5-3");
  }
}
