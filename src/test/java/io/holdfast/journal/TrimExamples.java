package io.holdfast.journal;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class TrimExamples implements ScriptExamples {
  private static final String OURS = "a".repeat(40);

  @Override
  public String script() {
    return "journal/trim";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        trim("lines and an ended hold")
            .after(meta(OURS), line("1-0"), line("1-1"), record("RELEASED"))
            .answers("TRIMMED"),
        trim("a hold that is live").after(meta(OURS), record("HELD")).answers("TRIMMED"),
        trim("nothing").after(meta(OURS)).answers("TRIMMED"),
        trim("another life").after(meta("b".repeat(40)), line("1-0")).answers("UNSEEDED"));
  }

  private static ScriptExample trim(String title) {
    return example(title)
        .keys("{p:arena}:journal", "{p:arena}:meta", "{p:arena}:hold:9")
        .arguments(OURS, "1-1");
  }

  private static String meta(String runId) {
    return "HSET {p:arena}:meta state OPEN epoch 7 run_id " + runId;
  }

  private static String line(String id) {
    return "XADD {p:arena}:journal " + id + " line 7\t1";
  }

  private static String record(String state) {
    return "SET {p:arena}:hold:9 " + state + "\t9";
  }
}
