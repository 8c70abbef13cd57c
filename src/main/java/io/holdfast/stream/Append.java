package io.holdfast.stream;

import java.util.List;

/// Events for a stream that has to have a certain version.
///
/// @param caller the owner of the stream
/// @param ids of the stream under all keys, that of the current key first
/// @param expectedVersion 0 if the stream must not exist yet
record Append(
    String caller, String entityType, List<String> ids, long expectedVersion, List<Event> events) {

  /// @param data a JSON object
  record Event(String type, String data) {}

  boolean isCreate() {
    return expectedVersion == 0;
  }
}
