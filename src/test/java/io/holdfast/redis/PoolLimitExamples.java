package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolLimitExamples implements ScriptExamples {
  private static final String LIMITS = "HGETALL " + Arena.key("limits");
  private static final String STOCK = "HGET %s item:stock".formatted(Arena.META);

  @Override
  public String script() {
    return "pool/limit";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            limit("a lower capacity that is still enough", "5")
                .after(Arena.stock("4 2/10").with(aHoldOf(3, 3)).commands())
                .answers("LIMITED")
                .andThen("LIMITED")
                .renewing()
                .leaving(LIMITS, "mine, 5")
                .leaving(STOCK, "4 2/10")
                .leaving(Arena.count("version"), "20"),
            limit("a capacity while another change is under way", "5")
                .after(Arena.stock("4 2/10").having(limits("other 4")).commands())
                .answers("LIMITED")
                .andThen("LIMITED")
                .renewing()
                .leaving(LIMITS, "other, 4, mine, 5"),
            limit("the end of a change", "")
                .after(Arena.stock("5 2/5").having(limits("mine 5")).commands())
                .answers("LIMITED")
                .andThen("LIMITED")
                .leaving("EXISTS " + Arena.key("limits"), "0")
                .leaving(STOCK, "5 2/5"),
            limit("the end of a change while another one is under way", "")
                .after(Arena.stock("5 2/5").having(limits("mine 5 other 4")).commands())
                .answers("LIMITED")
                .andThen("LIMITED")
                .leaving(LIMITS, "other, 4"),
            limit("a capacity below what is held and sold", "4")
                .after(Arena.stock("4 2/10").with(aHoldOf(3, 3)).commands())
                .answers("IN_USE", "5")
                .andThen("IN_USE")
                .leaving("EXISTS " + Arena.key("limits"), "0")
                .leaving(STOCK, "4 2/10")
                .leaving(Arena.count("version"), "20"),
            limit("a higher capacity, which Postgres has to grant first", "20")
                .after(Arena.stock("4 2/10").commands())
                .answers("LIMITED")
                .andThen("LIMITED")
                .renewing()
                .leaving(LIMITS, "mine, 20")
                .leaving(STOCK, "4 2/10")
                .leaving(Arena.count("version"), "20")),
        CommonExamples.ofUnseeded(title -> limit(title, "5")));
  }

  private static String limits(String fields) {
    return "HSET %s %s".formatted(Arena.key("limits"), fields);
  }

  private static ScriptExample limit(String title, String capacity) {
    return example(title).arguments(Arena.OURS, "mine", capacity);
  }
}
