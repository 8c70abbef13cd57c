package io.holdfast.journal.store;

import io.holdfast.pool.JournalPosition;

/// What bringing a batch of a journal to Postgres can come to.
public sealed interface JournalStoreOutcome {

  /// The lines are in Postgres, and the cursor stands behind them.
  ///
  /// @param drift how many of their holds contradict what Postgres knew: it stays by what it knew
  record Stored(int lines, int drift) implements JournalStoreOutcome {}

  /// The pool has another epoch than the Redis that was read; nothing was written.
  record Superseded() implements JournalStoreOutcome {}

  /// Somebody else has moved the cursor meanwhile; nothing was written.
  record Behind(JournalPosition cursor) implements JournalStoreOutcome {}

  /// The answer to COMMIT was lost. The cursor tells: the lines are there if it has moved.
  record Unknown() implements JournalStoreOutcome {}
}
