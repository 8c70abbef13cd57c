package io.holdfast.activity;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class IndexNoteExamples implements ScriptExamples {
  private static final String SWEEP = "{holdfast}:sweep";
  private static final String DRAIN = "{holdfast}:drain";

  @Override
  public String script() {
    return "index/note";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        note("pools that are new", "hall", "5000", "1", "room", "6000", "", "bar", "", "1")
            .answers("NOTED")
            .numbering()
            .leaving("ZRANGE %s 0 -1 WITHSCORES".formatted(SWEEP), "hall, 5000, room, 6000")
            .leaving("ZRANGE %s 0 -1".formatted(DRAIN), "hall, bar"),
        note("an earlier moment counts", "hall", "5000", "")
            .after("ZADD %s 7000 hall".formatted(SWEEP))
            .answers("NOTED")
            .leaving("ZSCORE %s hall".formatted(SWEEP), "5000"),
        note("a later moment does not", "hall", "9000", "")
            .after("ZADD %s 7000 hall".formatted(SWEEP))
            .answers("NOTED")
            .leaving("ZSCORE %s hall".formatted(SWEEP), "7000"),
        note("a pool that is being swept is marked", "hall", "9000", "")
            .after("ZADD %s 7000.5 hall".formatted(SWEEP))
            .answers("NOTED")
            .leaving("ZSCORE %s hall".formatted(SWEEP), "7000.25"),
        note("a pool that was noted in the same moment", "hall", "", "1")
            .after("ZADD %s 9000000000000000 hall".formatted(DRAIN))
            .answers("NOTED")
            .numbering()
            .leaving("ZSCORE %s hall".formatted(DRAIN), "9000000000000001"));
  }

  private static ScriptExample note(String title, String... notes) {
    var arguments = new String[1 + notes.length];
    arguments[0] = "a".repeat(40);
    System.arraycopy(notes, 0, arguments, 1, notes.length);
    return example(title).keys(SWEEP, DRAIN).arguments(arguments);
  }
}
