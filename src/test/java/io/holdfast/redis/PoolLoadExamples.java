package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

final class PoolLoadExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/load";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            load("items that are new", "B-1", "0", "B-2", "3 SOLD")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving("HMGET %s item:B-1 item:B-2".formatted(Arena.META), "0, 3 SOLD")
                .leaving(Arena.count("sold"), "1"),
            load("an item that is out of sale", "B-1", "3 BLOCKED")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving("HMGET %s item:B-1 sold blocked".formatted(Arena.META), "3 BLOCKED, 0, 1"),
            load("items of which a higher version is there", "A-1", "0", "A-3", "4 CLAIMED")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving("HMGET %s item:A-1 item:A-3".formatted(Arena.META), "0, 5"),
            load("items of a version that is higher by one more digit", "A-3", "10 SOLD")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving("HGET %s item:A-3".formatted(Arena.META), "10 SOLD"),
            load("the stock of a pool of units", "stock", "4 2/10")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving("HMGET %s item:stock sold".formatted(Arena.META), "4 2/10, 2")
                .leaving("EXISTS " + Arena.FREED, "0"),
            load("a stock of which an older version is there", "stock", "10 5/20")
                .after(Arena.seeding().stocked("4 2/10").commands())
                .answers("LOADED")
                .leaving("HMGET %s item:stock sold".formatted(Arena.META), "10 5/20, 5"),
            load("a stock of which a newer version is there", "stock", "4 2/10")
                .after(Arena.seeding().stocked("5 1/10").commands())
                .answers("LOADED")
                .leaving("HMGET %s item:stock sold".formatted(Arena.META), "5 1/10, 1"),
            load("an item that has become free again", "A-1", "9")
                .after(
                    Arena.seeding()
                        .having("HSET %s item:A-1 8␣SOLD".formatted(Arena.META))
                        .commands())
                .answers("LOADED")
                .leaving("HGET %s item:A-1".formatted(Arena.META), "9")),
        CommonExamples.ofSuperseded(title -> load(title, "B-1", "0")));
  }

  private static ScriptExample load(String title, String... entries) {
    return example(title)
        .arguments(
            Stream.concat(Stream.of(Arena.OURS, Arena.EPOCH), Stream.of(entries))
                .toArray(String[]::new));
  }
}
