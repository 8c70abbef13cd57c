package io.holdfast.journal.store;

import io.holdfast.pool.JournalPosition;

/// The outcome of storing a batch of a journal.
public sealed interface JournalStoreOutcome {

  /// The lines are stored, and the cursor is at the last of them.
  ///
  /// @param drift the number of holds that contradict their row; the row is kept
  record Stored(int lines, int drift) implements JournalStoreOutcome {}

  /// The pool has another epoch than the lines; nothing was written.
  record Superseded() implements JournalStoreOutcome {}

  /// Another drainer has moved the cursor; nothing was written.
  record Behind(JournalPosition cursor) implements JournalStoreOutcome {}

  /// The answer to COMMIT was lost. If the cursor has moved, the lines are stored.
  record Unknown() implements JournalStoreOutcome {}
}
