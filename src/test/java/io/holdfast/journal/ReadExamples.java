package io.holdfast.journal;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class ReadExamples implements ScriptExamples {
  private static final String OURS = "a".repeat(40);

  @Override
  public String script() {
    return "journal/read";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        read("a journal with lines")
            .after(meta("OPEN", OURS), line("1-0"), line("1-1"))
            .answers("LINES"),
        read("a journal without lines").after(meta("OPEN", OURS)).answers("LINES"),
        read("what survived").after(meta("SEEDING", OURS), line("1-0")).answers("LINES"),
        read("another life").after(meta("OPEN", "b".repeat(40)), line("1-0")).answers("UNSEEDED"),
        read("an unknown pool").answers("UNSEEDED"));
  }

  private static ScriptExample read(String title) {
    return example(title).keys("{p:arena}:journal", "{p:arena}:meta").arguments(OURS, "0-0", "10");
  }

  private static String meta(String state, String runId) {
    return "HSET {p:arena}:meta state %s epoch 7 run_id %s".formatted(state, runId);
  }

  private static String line(String id) {
    return "XADD {p:arena}:journal " + id + " line 7\t1";
  }
}
