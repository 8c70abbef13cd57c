package io.holdfast.journal;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.JournalLine;
import java.util.List;

/// What reading a journal in Redis can come to.
sealed interface ReadOutcome {

  /// Lines, perhaps none, as a memory of this epoch has them.
  record Lines(Epoch epoch, List<JournalLine> lines) implements ReadOutcome {}

  /// This Redis does not have the pool, or has it from another life.
  record Unseeded() implements ReadOutcome {}
}
