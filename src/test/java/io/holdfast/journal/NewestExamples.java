package io.holdfast.journal;

import static io.holdfast.journal.JournalExamples.OURS;
import static io.holdfast.journal.JournalExamples.THEIRS;
import static io.holdfast.journal.JournalExamples.call;
import static io.holdfast.journal.JournalExamples.entry;
import static io.holdfast.journal.JournalExamples.meta;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class NewestExamples implements ScriptExamples {
  private static final String FIRST = entry("1-0", "7\t1\t0", "a", "b");
  private static final String SECOND = entry("1-1", "7\t1\t2", "c");

  @Override
  public String script() {
    return "journal/newest";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        call("a journal with entries")
            .after(meta("OPEN", OURS), FIRST, SECOND)
            .answers("NEWEST", "1-1"),
        call("a journal without entries").after(meta("OPEN", OURS)).answers("EMPTY"),
        call("another run of Redis").after(meta("OPEN", THEIRS), FIRST).answers("UNSEEDED"),
        call("an unknown pool").answers("UNSEEDED"));
  }
}
