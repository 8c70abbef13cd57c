package io.holdfast.journal;

import static io.holdfast.journal.JournalExamples.OURS;
import static io.holdfast.journal.JournalExamples.THEIRS;
import static io.holdfast.journal.JournalExamples.call;
import static io.holdfast.journal.JournalExamples.entry;
import static io.holdfast.journal.JournalExamples.meta;

import io.holdfast.redis.ScriptExample;
import io.holdfast.redis.ScriptExamples;
import java.util.List;

final class VitalsExamples implements ScriptExamples {
  private static final String NOW = "<moment>";

  @Override
  public String script() {
    return "pool/vitals";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        call("a pool with holds and lines")
            .after(
                meta("OPEN", OURS),
                entry("25-0", "7\t1\t4", "a", "b", "c"),
                entry("26-0", "7\t1\t7", "d", "e"),
                "ZADD {p:arena}:due 1700000000123 30064771073")
            .answers("VITALS", "7", "5", "1", NOW, "25", NOW)
            .renewing(),
        call("a pool whose journal goes back to an earlier epoch")
            .after(meta("OPEN", OURS), entry("25-0", "6\t1\t4", "a"))
            .answers("VITALS", "7", "10", "0", NOW, "25", NOW)
            .renewing(),
        call("a pool without")
            .after(meta("OPEN", OURS))
            .answers("VITALS", "7", "0", "0", NOW, NOW, NOW)
            .renewing(),
        call("one that is being seeded")
            .after(meta("SEEDING", OURS))
            .answers("UNSEEDED", "SEEDING"),
        call("another run of Redis").after(meta("OPEN", THEIRS)).answers("UNSEEDED", "MOVED"),
        call("an unknown pool").answers("UNSEEDED", "LOST"));
  }
}
