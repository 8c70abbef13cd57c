package io.holdfast.journal;

import static io.holdfast.journal.JournalExamples.OURS;
import static io.holdfast.journal.JournalExamples.THEIRS;
import static io.holdfast.journal.JournalExamples.call;
import static io.holdfast.journal.JournalExamples.entry;
import static io.holdfast.journal.JournalExamples.meta;
import static io.holdfast.journal.JournalExamples.text;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class ReadExamples implements ScriptExamples {
  private static final String FIRST = entry("1-0", "7\t1\t0", "a", "b");
  private static final String SECOND = entry("1-1", "7\t1\t2", "c");

  @Override
  public String script() {
    return "journal/read";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        read("a journal with entries", "0-0", 10)
            .after(meta("OPEN", OURS), FIRST, SECOND)
            .answers("ENTRIES", "7")
            .andAnswers("1-0")
            .andAnswers(text("7\t1\t0", "a", "b"))
            .andAnswers("1-1")
            .andAnswers(text("7\t1\t2", "c")),
        read("what is behind an entry", "1-0", 10)
            .after(meta("OPEN", OURS), FIRST, SECOND)
            .answers("ENTRIES", "7")
            .andAnswers("1-1")
            .andAnswers(text("7\t1\t2", "c")),
        read("enough lines in the first entry", "0-0", 2)
            .after(meta("OPEN", OURS), FIRST, SECOND)
            .answers("ENTRIES", "7")
            .andAnswers("1-0")
            .andAnswers(text("7\t1\t0", "a", "b")),
        read("a journal without entries", "0-0", 10)
            .after(meta("OPEN", OURS))
            .answers("ENTRIES", "7"),
        read("what survived", "1-0", 10)
            .after(meta("SEEDING", OURS), FIRST)
            .answers("ENTRIES", "7"),
        read("another run of Redis", "0-0", 10)
            .after(meta("OPEN", THEIRS), FIRST)
            .answers("UNSEEDED"),
        read("an unknown pool", "0-0", 10).answers("UNSEEDED"));
  }

  private static ScriptExample read(String title, String after, int lines) {
    return call(title, after, String.valueOf(lines));
  }
}
