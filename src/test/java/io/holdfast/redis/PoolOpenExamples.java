package io.holdfast.redis;

import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolOpenExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/open";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        open("an epoch that was seeded")
            .after(Arena.seeding().having("SADD %s 1 2".formatted(Arena.COUNTED)).commands())
            .answers("OPEN")
            .leaving(Arena.count("state"), "OPEN")
            .leaving("EXISTS " + Arena.COUNTED, "0")
            .leaving(Arena.count("lines"), "41")
            .leaving(Arena.ENTRIES, Arena.entryOf(Arena.UNCAUSED + "OPENED\t")),
        open("an epoch that is open")
            .after(Arena.open().commands())
            .answers("OPEN")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        open("a pool that this memory knows nothing of")
            .answers("SUPERSEDED")
            .leaving("EXISTS " + Arena.META, "0"),
        open("under another server").after(Arena.elsewhere().commands()).answers("SUPERSEDED"),
        open("a newer epoch")
            .after(Arena.seeding().having("HSET %s epoch 8".formatted(Arena.META)).commands())
            .answers("SUPERSEDED")
            .leaving(Arena.count("state"), "SEEDING"));
  }

  private static ScriptExample open(String title) {
    return example(title).arguments(Arena.OURS, Arena.EPOCH);
  }
}
