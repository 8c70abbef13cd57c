package io.holdfast.journal;

import static io.holdfast.journal.JournalExamples.ENTRIES;
import static io.holdfast.journal.JournalExamples.OURS;
import static io.holdfast.journal.JournalExamples.THEIRS;
import static io.holdfast.journal.JournalExamples.call;
import static io.holdfast.journal.JournalExamples.entry;
import static io.holdfast.journal.JournalExamples.meta;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class TrimExamples implements ScriptExamples {
  private static final String META = meta("OPEN", OURS);
  private static final String RECORDS = "HMGET {p:arena}:holds 8 9";

  @Override
  public String script() {
    return "journal/trim";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        call("entries and an ended hold", "1-1", "9")
            .after(META, some("1-0"), some("1-1"), record(8, "RELEASED"), record(9, "RELEASED"))
            .answers("TRIMMED")
            .leaving(ENTRIES, "1-1, lines, 7\t1\t0\u001ex")
            .leaving(RECORDS, "RELEASED\t8, nothing"),
        call("a hold that is live, one that has ended and one that is gone", "1-1", "9", "8", "7")
            .after(META, record(9, "HELD"), record(8, "EXPIRED"))
            .answers("TRIMMED")
            .leaving(RECORDS, "nothing, HELD\t9"),
        call("entries alone", "1-1")
            .after(META, some("1-0"), record(9, "RELEASED"))
            .answers("TRIMMED")
            .leaving(ENTRIES, "")
            .leaving(RECORDS, "nothing, RELEASED\t9"),
        call("nothing", "1-1", "9").after(META).answers("TRIMMED"),
        call("another run of Redis", "1-1", "9")
            .after(meta("OPEN", THEIRS), some("1-0"), record(9, "RELEASED"))
            .answers("UNSEEDED")
            .leaving(RECORDS, "nothing, RELEASED\t9"));
  }

  private static String some(String id) {
    return entry(id, "7\t1\t0", "x");
  }

  private static String record(int fence, String state) {
    return "HSET {p:arena}:holds %d %s\t%d".formatted(fence, state, fence);
  }
}
