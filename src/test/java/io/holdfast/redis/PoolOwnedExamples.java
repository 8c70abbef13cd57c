package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolOwnedExamples implements ScriptExamples {
  @Override
  public String script() {
    return "pool/owned";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            owned("two sales to a requester", "3", "2", "4", "1")
                .after(Arena.seeding().having(Arena.itemsMax(9)).commands())
                .answers("LOADED")
                .leaving(Arena.OWN, Arena.U1 + ",  3=2 4=1"),
            owned("sales of a pool without a limit", "3", "2")
                .after(Arena.seeding().commands())
                .answers("LOADED")
                .leaving(Arena.OWN, "")),
        CommonExamples.ofSuperseded(title -> owned(title, "3", "2")));
  }

  private static ScriptExample owned(String title, String... fencesAndNumbers) {
    var example = example(title).arguments(Arena.OURS, Arena.EPOCH);
    for (var i = 0; i < fencesAndNumbers.length; i += 2) {
      example = example.andCalls("shop", "u1", fencesAndNumbers[i], fencesAndNumbers[i + 1]);
    }
    return example;
  }
}
