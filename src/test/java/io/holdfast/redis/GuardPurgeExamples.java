package io.holdfast.redis;

import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class GuardPurgeExamples implements ScriptExamples {
  private static final String RECORDED = "{g:todo}:recorded";

  @Override
  public String script() {
    return "guard/purge";
  }

  @Override
  public List<ScriptExample> examples() {
    var three = "ZADD %s 3000 =a 4000 =b 5000 =c".formatted(RECORDED);
    return List.of(
        purge("what was recorded then or earlier goes", "4000", "10")
            .after(three)
            .answers("PURGED")
            .andAnswers("2")
            .answeringAnew()
            .leaving("ZCARD " + RECORDED, "1")
            .leaving("ZSCORE %s =c".formatted(RECORDED), "5000"),
        purge("nothing has elapsed", "2999", "10").after(three).answers("PURGED").andAnswers("0"),
        purge("there is nothing", "4000", "10").answers("PURGED").andAnswers("0"));
  }

  private static ScriptExample purge(String title, String elapsedAt, String most) {
    return example(title).keys(RECORDED).arguments("a".repeat(40), elapsedAt, most);
  }
}
