package io.holdfast.journal;

/// What draining a pool's journal can come to.
public sealed interface DrainOutcome {

  /// Nothing was left at the end.
  ///
  /// @param lines how many were brought
  record Emptied(long lines) implements DrainOutcome {}

  /// As much was brought as was allowed; there may be more.
  ///
  /// @param lines how many were brought
  record Unfinished(long lines) implements DrainOutcome {}

  /// The pool has a newer epoch than this Redis: what it says does not count any more.
  record Superseded() implements DrainOutcome {}

  /// Redis does not have the pool, or has it from another life.
  record Unseeded() implements DrainOutcome {}
}
