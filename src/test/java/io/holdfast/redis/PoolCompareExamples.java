package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

final class PoolCompareExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/compare";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            compare("items that stand alike", "A-1", "0", "A-3", "5")
                .after(Arena.open().commands())
                .answers("COMPARED", "0")
                .leaving(Arena.count("version"), "20"),
            compare("a sale that Redis was not told of", "A-1", "1 SOLD", "A-3", "5")
                .after(Arena.open().commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:A-1 sold version".formatted(Arena.META), "1 SOLD, 1, 21"),
            compare("an item of the same version that stands otherwise", "A-3", "5 SOLD")
                .after(Arena.open().commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:A-3 sold version".formatted(Arena.META), "5 SOLD, 1, 21"),
            compare("a voided sale that Redis was not told of", "A-1", "5")
                .after(
                    Arena.open()
                        .having("HSET %s sold 1 item:A-1 4␣SOLD".formatted(Arena.META))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:A-1 sold freed".formatted(Arena.META), "5, 0, 1")
                .leaving("LRANGE %s 0 -1".formatted(Arena.FREED), "A-1"),
            compare("an item that was taken out of sale", "A-1", "1 BLOCKED")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1"
                                .formatted(Arena.META, AHold.FAR_AHEAD))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving(
                    "HMGET %s item:A-1 blocked version".formatted(Arena.META), "1 BLOCKED, 1, 21"),
            compare("an item that is back on sale", "A-1", "2")
                .after(
                    Arena.open()
                        .having("HSET %s item:A-1 1␣BLOCKED blocked 1".formatted(Arena.META))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:A-1 blocked".formatted(Arena.META), "2, 0")
                .leaving("LRANGE %s 0 -1".formatted(Arena.FREED), "A-1"),
            compare("an item that an operator is blocking", "A-1", "0")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1"
                                .formatted(Arena.META, AHold.FAR_AHEAD))
                        .commands())
                .answers("COMPARED", "0"),
            compare("an item that an operator is blocking and that was sold and voided", "A-1", "2")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1"
                                .formatted(Arena.META, AHold.FAR_AHEAD))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving(
                    "HGET %s item:A-1".formatted(Arena.META),
                    "2 BLOCKING %d me-1".formatted(AHold.FAR_AHEAD))
                .leaving("EXISTS " + Arena.FREED, "0"),
            compare("an item whose blocking has come to nothing", "A-1", "0")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1"
                                .formatted(Arena.META, AHold.LONG_AGO))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HGET %s item:A-1".formatted(Arena.META), "0"),
            compare("an item that Redis has lost", "B-7", "0")
                .after(Arena.open().commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HGET %s item:B-7".formatted(Arena.META), "0"),
            compare("a stock that stands alike", "stock", "4 2/10")
                .after(Arena.stock("4 2/10").commands())
                .answers("COMPARED", "0")
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "4 2/10, 2, 20"),
            compare("a stock whose capacity is being lowered", "stock", "5 2/10")
                .after(
                    Arena.stock("4 2/10")
                        .having("HSET %s one 4".formatted(Arena.key("limits")))
                        .commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HGETALL " + Arena.key("limits"), "one, 4"),
            compare("a sale of units that Redis was not told of", "stock", "5 4/10")
                .after(Arena.stock("4 2/10").commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "5 4/10, 4, 21")
                .leaving("EXISTS " + Arena.FREED, "0"),
            compare("voided units that Redis was not told of", "stock", "5 0/10")
                .after(Arena.stock("4 2/10").commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "5 0/10, 0, 21"),
            compare("a stock of the same version that stands otherwise", "stock", "4 3/10")
                .after(Arena.stock("4 2/10").commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "4 3/10, 3, 21"),
            compare("a stock that Redis has lost", "stock", "4 2/10")
                .after(Arena.open().commands())
                .answers("COMPARED", "1")
                .answeringAnew()
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "4 2/10, 2, 21"),
            compare("a stock of which Redis knows something newer", "stock", "3 9/10")
                .after(Arena.stock("4 2/10").commands())
                .answers("COMPARED", "0")
                .leaving("HMGET %s item:stock sold version".formatted(Arena.META), "4 2/10, 2, 20"),
            compare("an item of which Redis knows something newer", "A-3", "4 SOLD")
                .after(Arena.open().commands())
                .answers("COMPARED", "0")
                .leaving("HGET %s item:A-3".formatted(Arena.META), "5")),
        CommonExamples.ofUnseeded(title -> compare(title, "A-1", "1 SOLD")));
  }

  private static ScriptExample compare(String title, String... entries) {
    return example(title)
        .arguments(Stream.concat(Stream.of(Arena.OURS), Stream.of(entries)).toArray(String[]::new));
  }
}
