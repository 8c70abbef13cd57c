package io.holdfast.redis;

import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolSeedExamples implements ScriptExamples {
  private static final String META = "{p:arena}:meta";
  private static final String OURS = "a".repeat(40);
  private static final String THEIRS = "b".repeat(40);

  @Override
  public String script() {
    return "pool/seed";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        seed("an unknown pool", "7").answers("SEEDING"),
        seed("an epoch that lies far ahead", "2097151").answers("SEEDING"),
        seed("over an older epoch", "7").after(meta("OPEN", "6", THEIRS)).answers("SEEDING"),
        seed("its own epoch", "7").after(meta("SEEDING", "7", OURS)).answers("SEEDING"),
        seed("its own epoch, opened", "7").after(meta("OPEN", "7", OURS)).answers("OPEN"),
        seed("under a newer one", "7").after(meta("SEEDING", "8", OURS)).answers("SUPERSEDED"),
        seed("its epoch elsewhere", "7").after(meta("OPEN", "7", THEIRS)).answers("SUPERSEDED"));
  }

  private static ScriptExample seed(String title, String epoch) {
    return example(title).keys(META).arguments(OURS, epoch, "SEATS");
  }

  private static String meta(String state, String epoch, String runId) {
    return "HSET %s state %s kind SEATS epoch %s seq 12 run_id %s"
        .formatted(META, state, epoch, runId);
  }
}
