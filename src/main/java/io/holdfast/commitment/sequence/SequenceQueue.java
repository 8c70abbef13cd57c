package io.holdfast.commitment.sequence;

import java.util.List;

/// A queue in Redis. Each method may be repeated with the same entries.
public interface SequenceQueue<E extends Sequenced> {
  /// Returns the entries with the lowest numbers. They stay in the queue.
  List<E> head(int max);

  /// Removes entries that are committed.
  void remove(List<E> committed);

  /// Gives new numbers to entries that are older than what is committed, and that were not
  /// committed themselves. A Redis that was restored from an older state may have such entries.
  void putBehind(List<E> overtaken);
}
