package io.holdfast.activity;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class IndexSettleExamples implements ScriptExamples {
  private static final String SWEEP = "{holdfast}:sweep";
  private static final String TAKEN = "ZADD %s 7000.5 hall".formatted(SWEEP);
  private static final String SCORE = "ZSCORE %s hall".formatted(SWEEP);

  @Override
  public String script() {
    return "index/settle";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        settle("it is due later", "hall", "9000", "room", "")
            .after(TAKEN, "ZADD %s 7000.5 room".formatted(SWEEP))
            .answers("SETTLED")
            .leaving("ZRANGE %s 0 -1 WITHSCORES".formatted(SWEEP), "hall, 9000"),
        settle("it is tried again in a while", "hall", "+60000")
            .after(TAKEN)
            .answers("SETTLED")
            .leaving(SCORE, "<moment>"),
        settle("it was noted meanwhile", "hall", "")
            .after("ZADD %s 7000.25 hall".formatted(SWEEP))
            .answers("SETTLED")
            .leaving(SCORE, "0"),
        settle("another one has it by now", "hall", "")
            .after("ZADD %s 8000.5 hall".formatted(SWEEP))
            .answers("SETTLED")
            .leaving(SCORE, "8000.5"),
        settle("nobody has it", "hall", "9000").answers("SETTLED").leaving("EXISTS " + SWEEP, "0"));
  }

  private static ScriptExample settle(String title, String... pools) {
    var arguments = new String[2 + pools.length];
    arguments[0] = "a".repeat(40);
    arguments[1] = "7000.5";
    System.arraycopy(pools, 0, arguments, 2, pools.length);
    return example(title).keys(SWEEP).arguments(arguments);
  }
}
