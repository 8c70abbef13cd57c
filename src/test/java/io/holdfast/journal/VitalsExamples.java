package io.holdfast.journal;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class VitalsExamples implements ScriptExamples {
  private static final String OURS = "a".repeat(40);

  @Override
  public String script() {
    return "pool/vitals";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        vitals("a pool with holds and lines")
            .after(
                meta("OPEN", OURS),
                "XADD {p:arena}:journal 1-0 line 7\t1",
                "ZADD {p:arena}:due 1700000000123 30064771073")
            .answers("VITALS")
            .renewing(),
        vitals("a pool without").after(meta("OPEN", OURS)).answers("VITALS").renewing(),
        vitals("one that is being seeded").after(meta("SEEDING", OURS)).answers("UNSEEDED"),
        vitals("another life").after(meta("OPEN", "b".repeat(40))).answers("UNSEEDED"),
        vitals("an unknown pool").answers("UNSEEDED"));
  }

  private static ScriptExample vitals(String title) {
    return example(title)
        .keys("{p:arena}:meta", "{p:arena}:journal", "{p:arena}:due")
        .arguments(OURS);
  }

  private static String meta(String state, String runId) {
    return "HSET {p:arena}:meta state %s epoch 7 run_id %s".formatted(state, runId);
  }
}
