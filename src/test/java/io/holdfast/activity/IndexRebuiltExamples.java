package io.holdfast.activity;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class IndexRebuiltExamples implements ScriptExamples {
  private static final String SERVER = "{holdfast}:server";
  private static final String OURS = "a".repeat(40);

  @Override
  public String script() {
    return "index/rebuilt";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        example("for this server")
            .keys(SERVER)
            .arguments(OURS, OURS)
            .answers("REBUILT")
            .leaving("GET " + SERVER, OURS),
        example("for one that is gone")
            .keys(SERVER)
            .arguments(OURS, "b".repeat(40))
            .answers("MOVED")
            .leaving("EXISTS " + SERVER, "0"));
  }
}
