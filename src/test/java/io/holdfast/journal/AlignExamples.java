package io.holdfast.journal;

import static io.holdfast.journal.JournalExamples.OURS;
import static io.holdfast.journal.JournalExamples.THEIRS;
import static io.holdfast.journal.JournalExamples.call;
import static io.holdfast.journal.JournalExamples.entry;
import static io.holdfast.journal.JournalExamples.meta;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class AlignExamples implements ScriptExamples {
  private static final String META = meta("SEEDING", OURS);
  private static final String NEXT = "XADD {p:arena}:journal 5-* lines x";

  @Override
  public String script() {
    return "journal/align";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        align("no journal").after(META).answers("ALIGNED").leaving("XLEN {p:arena}:journal", "0"),
        align("one that is behind")
            .after(META, some("4-9"))
            .answers("ALIGNED")
            .leaving(NEXT, "5-4"),
        align("by a count").after(META, some("5-2")).answers("ALIGNED").leaving(NEXT, "5-4"),
        align("one that is ahead").after(META, some("5-4")).answers("ALIGNED").leaving(NEXT, "5-5"),
        align("another run of Redis").after(meta("SEEDING", THEIRS)).answers("UNSEEDED"));
  }

  private static ScriptExample align(String title) {
    return call(title, "5-3");
  }

  private static String some(String id) {
    return entry(id, "7\t1\t0", "x");
  }
}
