package io.holdfast.activity;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class IndexTakeExamples implements ScriptExamples {
  private static final String SWEEP = "{holdfast}:sweep";
  private static final String DRAIN = "{holdfast}:drain";
  private static final String SERVER = "{holdfast}:server";
  private static final String OURS = "a".repeat(40);
  private static final String MADE_HERE = "SET %s %s".formatted(SERVER, OURS);

  @Override
  public String script() {
    return "index/take";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        take("what is due, oldest first, and not more than asked for", "2")
            .after(MADE_HERE, "ZADD %s 30 c 10 a 20 b".formatted(SWEEP))
            .answers("TAKEN", "", "0", "3", "0", "<moment>.5", "a", "b")
            .numbering()
            .leaving("ZRANGE %s 0 0".formatted(SWEEP), "c")
            .leaving("ZCOUNT %s 31 +inf".formatted(SWEEP), "2"),
        take("nothing that another one has", "9")
            .after(MADE_HERE, "ZADD %s 9000000000000.5 a".formatted(SWEEP))
            .answers("TAKEN")
            .answeringAnew()
            .leaving("ZSCORE %s a".formatted(SWEEP), "9000000000000.5"),
        take("what another one had for too long", "9")
            .after(MADE_HERE, "ZADD %s 5000.25 a".formatted(SWEEP))
            .answers("TAKEN", "", "60001", "1", "0", "<moment>.5", "a")
            .answeringAnew(),
        take("nothing where there is nothing", "9")
            .after(MADE_HERE, "ZADD %s 1 x".formatted(DRAIN))
            .answers("TAKEN", "", "", "0", "1", "<moment>.5")
            .answeringAnew(),
        take("an index that was made on another server", "9")
            .after("SET %s x".formatted(SERVER))
            .answers("TAKEN", OURS, "", "0", "0", "<moment>.5")
            .answeringAnew(),
        take("an index that is lost", "9")
            .answers("TAKEN", OURS, "", "0", "0", "<moment>.5")
            .answeringAnew());
  }

  private static ScriptExample take(String title, String count) {
    return example(title).keys(SWEEP, DRAIN, SERVER).arguments(OURS, count, "60000");
  }
}
