package io.holdfast.redis;

import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class GuardRecordExamples implements ScriptExamples {
  private static final String RECORDED = "{g:todo}:recorded";

  @Override
  public String script() {
    return "guard/record";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        record("an identity that was never seen", "5000")
            .answers("RECORDED")
            .andThen("GUARDED")
            .leaving("ZSCORE %s =milk".formatted(RECORDED), "5000"),
        record("one that is under guard keeps its moment", "5999")
            .after("ZADD %s 5000 =milk".formatted(RECORDED))
            .answers("GUARDED")
            .andAnswers("5000")
            .leaving("ZSCORE %s =milk".formatted(RECORDED), "5000"),
        record("one at the end of its window starts afresh", "6000")
            .after("ZADD %s 5000 =milk".formatted(RECORDED))
            .answers("RECORDED")
            .andThen("GUARDED")
            .leaving("ZSCORE %s =milk".formatted(RECORDED), "6000"),
        record("one that a clock ahead of ours has recorded", "4000")
            .after("ZADD %s 5000 =milk".formatted(RECORDED))
            .answers("GUARDED")
            .andAnswers("5000"));
  }

  private static ScriptExample record(String title, String now) {
    return example(title).keys(RECORDED).arguments("a".repeat(40), "=milk", now, "1000");
  }
}
