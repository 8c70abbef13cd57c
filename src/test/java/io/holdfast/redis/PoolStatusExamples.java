package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolStatusExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/status";
  }

  @Override
  public List<ScriptExample> examples() {
    var line = "XADD %s * line x".formatted(Arena.JOURNAL);
    return List.of(
        look("a pool with a hold and a line")
            .after(Arena.open().with(aHold(3, "A-1").lapsed()).having(line).commands())
            .answers("LOOK", "OPEN", "1", String.valueOf(aHold(3, "A-1").lapsed().leaseUntil())),
        look("a pool without").after(Arena.open().commands()).answers("LOOK", "OPEN", "0", ""),
        look("a pool that is being seeded")
            .after(Arena.seeding().commands())
            .answers("LOOK", "SEEDING", "0", ""),
        look("under another server")
            .after(Arena.elsewhere().having(line).commands())
            .answers("LOOK", "MOVED", "1", ""),
        look("a pool that this memory knows nothing of").answers("LOOK", "LOST", "0", ""));
  }

  private static ScriptExample look(String title) {
    return example(title).keys(Arena.META, Arena.JOURNAL, Arena.DUE).arguments(Arena.OURS);
  }
}
