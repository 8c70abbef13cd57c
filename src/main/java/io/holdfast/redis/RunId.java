package io.holdfast.redis;

/// Names one process of a Redis server, and so one life of its memory. A replica that is promoted
/// has another one than the server it took over from.
record RunId(String value) {
  public RunId {
    if (!value.matches("[0-9a-f]{40}")) {
      throw new IllegalArgumentException("a run id is 40 hex digits, was \"" + value + "\"");
    }
  }
}
