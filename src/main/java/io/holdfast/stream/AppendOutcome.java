package io.holdfast.stream;

/// What an append can come to.
sealed interface AppendOutcome {

  /// @param version of the last event of the stream
  record Appended(String streamId, long version) implements AppendOutcome {}

  /// The stream has another version than the caller expects. Nothing was written.
  ///
  /// @param actualVersion 0 if there is no such stream
  record VersionConflict(long actualVersion) implements AppendOutcome {}

  /// The stream belongs to another caller. Nothing was written.
  record OtherCaller() implements AppendOutcome {}
}
