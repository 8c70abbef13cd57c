package io.holdfast.commitment.sequence;

/// An entry of a queue in Redis.
public interface Sequenced {
  /// Given in the step that put the entry into the queue, and higher than all numbers before it.
  long sequence();
}
