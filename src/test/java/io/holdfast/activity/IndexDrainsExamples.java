package io.holdfast.activity;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class IndexDrainsExamples implements ScriptExamples {
  private static final String DRAIN = "{holdfast}:drain";
  private static final String THREE = "ZADD %s 1000 a 2000 b 3000 c".formatted(DRAIN);
  private static final String LEFT = "ZRANGE %s 0 -1".formatted(DRAIN);

  @Override
  public String script() {
    return "index/drains";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        drains("what was noted since", "1000", "9")
            .after(THREE)
            .answers("DRAINS", "b", "2000", "c", "3000"),
        drains("not more than asked for", "0", "1").after(THREE).answers("DRAINS", "a", "1000"),
        drains("nothing", "0", "9").answers("DRAINS"),
        drains("one that was emptied goes", "1000", "9", "b", "2000")
            .after(THREE)
            .answers("DRAINS", "c", "3000")
            .leaving(LEFT, "a, c"),
        drains("one that was noted meanwhile stays", "1000", "9", "b", "1999")
            .after(THREE)
            .answers("DRAINS", "b", "2000", "c", "3000")
            .leaving(LEFT, "a, b, c"));
  }

  private static ScriptExample drains(String title, String... rest) {
    var arguments = new String[1 + rest.length];
    arguments[0] = "a".repeat(40);
    System.arraycopy(rest, 0, arguments, 1, rest.length);
    return example(title).keys(DRAIN).arguments(arguments);
  }
}
