package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolRulesExamples implements ScriptExamples {
  private static final String NEW = "5\t0\t9\t4";

  @Override
  public String script() {
    return "pool/rules";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            rules("the first ones")
                .after(Arena.open().commands())
                .answers("KNOWN")
                .leaving(Arena.count("rules"), NEW)
                .leaving("EXISTS " + Arena.JOURNAL, "0"),
            rules("over older ones")
                .after(Arena.open().having(Arena.rules(4, 1, 2, "")).commands())
                .answers("KNOWN")
                .leaving(Arena.count("rules"), NEW),
            rules("under newer ones")
                .after(Arena.open().having(Arena.rules(10, 1, 2, "")).commands())
                .answers("KNOWN")
                .leaving(Arena.count("rules"), "10\t1\t2\t"),
            rules("while the pool is being seeded")
                .after(Arena.seeding().having(Arena.rules(4, 1, 2, "")).commands())
                .answers("KNOWN")
                .leaving(Arena.count("rules"), NEW)
                .leaving(Arena.count("state"), "SEEDING"),
            rules("a pool that this memory knows nothing of").answers("UNSEEDED", "LOST"),
            rules("under another server")
                .after(Arena.elsewhere().commands())
                .answers("UNSEEDED", "MOVED")
                .keepingNothing()));
  }

  private static ScriptExample rules(String title) {
    return example(title).arguments(Arena.OURS, NEW);
  }
}
