package io.holdfast.hold;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What Redis knows of a token.
///
/// @param outcome null while the call has none yet
record StoredTokenOutcome(TokenAction action, @Nullable HoldOutcome outcome, Instant recordedAt) {
  private static final String SPENT = "SPENT\t";
  private static final int PARTS = 5;
  private static final int PARTS_OF_A_SHORT_YES = 2;

  /// Null where Redis has nothing, or only a yes in short whose hold it has no more: Postgres has
  /// both by then.
  ///
  /// @param reply of `redis-scripts/hold/recollect.lua`
  static @Nullable StoredTokenOutcome read(String reply) {
    if (!reply.startsWith(SPENT)) {
      return null;
    }
    var separator = reply.lastIndexOf(OutcomeCodec.SEPARATOR);
    var entry = reply.substring(SPENT.length(), separator).split("\t", PARTS);
    var at = Instant.ofEpochMilli(Long.parseLong(entry[0]));
    var action = TokenAction.of(entry[1]);
    var word = entry[3];
    var rest = entry.length == PARTS ? entry[PARTS - 1] : "";
    if (word.equals("RUNNING")) {
      return new StoredTokenOutcome(action, null, at);
    }
    if (!word.equals("HELD") || rest.split("\t").length > PARTS_OF_A_SHORT_YES) {
      return new StoredTokenOutcome(action, OutcomeCodec.parse(word + "\t" + rest), at);
    }
    var record = reply.substring(separator + 1);
    return record.isEmpty()
        ? null
        : new StoredTokenOutcome(
            action, new HoldOutcome.Held(HoldRecord.parse(record).asPlaced()), at);
  }
}
