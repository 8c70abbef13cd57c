package io.holdfast.hold;

import io.holdfast.pool.Action;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What Redis knows of a token.
///
/// @param outcome null while the call has none yet
record Recollection(Action action, @Nullable HoldOutcome outcome, Instant recordedAt) {
  private static final String SPENT = "SPENT";
  private static final int PARTS = 4;
  private static final int PARTS_OF_A_SHORT_YES = 3;

  /// Null where Redis has nothing, or only a yes in short whose hold it has no more: Postgres has
  /// both by then.
  ///
  /// @param reply of `redis-scripts/hold/recollect.lua`
  static @Nullable Recollection read(Pool pool, List<Object> reply) {
    if (!reply.getFirst().equals(SPENT)) {
      return null;
    }
    var entry = ((String) reply.get(1)).split("\t", PARTS);
    var until = Instant.ofEpochMilli(Long.parseLong((String) reply.get(2)));
    var action = Action.of(entry[0]);
    var at = until.minus(pool.policy().idempotencyWindow());
    var word = entry[2];
    var rest = entry.length == PARTS ? entry[PARTS - 1] : "";
    if (word.equals("RUNNING")) {
      return new Recollection(action, null, at);
    }
    if (!word.equals("HELD") || rest.split("\t").length > PARTS_OF_A_SHORT_YES) {
      return new Recollection(action, Outcomes.parse(word + "\t" + rest), at);
    }
    var record = (String) reply.get(3);
    return record.isEmpty()
        ? null
        : new Recollection(action, new HoldOutcome.Held(HoldRecord.parse(record).asPlaced()), at);
  }
}
