package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolCountExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/count";
  }

  @Override
  public List<ScriptExample> examples() {
    var meta = "HSET %s version 9007199254740991".formatted(Arena.META);
    return together(
        List.of(
            count("a pool with two holds")
                .after(Arena.open().with(aHold(3, "A-1", "A-2"), aHold(4, "A-4")).commands())
                .answers("COUNTS", "7", "20", "3", "0", "", "0", "0"),
            count("the highest version of all")
                .after(Arena.open().having(meta).commands())
                .answers("COUNTS", "7", "9007199254740991", "0", "0", "", "0", "0"),
            count("a pool of which something is sold")
                .after(Arena.open().having("HSET %s sold 2".formatted(Arena.META)).commands())
                .answers("COUNTS", "7", "20", "0", "2", "", "0", "0"),
            count("a pool of units")
                .after(Arena.stock("4 2/10").with(aHoldOf(3, 3), aHoldOf(4, 1)).commands())
                .answers("COUNTS", "7", "20", "4", "2", "10", "0", "0"),
            count("a changed pool with an item out of sale")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s blocked 1 item:A-1 4␣BLOCKED".formatted(Arena.META),
                            Arena.rules(3, 0, AHold.FAR_AHEAD, ""))
                        .commands())
                .answers("COUNTS", "7", "20", "0", "0", "", "1", "3"),
            count("a pool of seats, one of which is called like the entry of units")
                .after(
                    Arena.open()
                        .having("HSET %s item:stock 1␣SOLD".formatted(Arena.META))
                        .commands())
                .answers("COUNTS", "7", "20", "0", "0", "", "0", "0")),
        CommonExamples.ofUnseeded(PoolCountExamples::count));
  }

  private static ScriptExample count(String title) {
    return example(title).arguments(Arena.OURS);
  }
}
