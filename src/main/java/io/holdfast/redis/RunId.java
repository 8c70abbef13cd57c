package io.holdfast.redis;

/// Identifies one process of a Redis server, and with it one content of its data. A promoted
/// replica has another run id than its former master.
record RunId(String value) {
  public RunId {
    if (!value.matches("[0-9a-f]{40}")) {
      throw new IllegalArgumentException("a run id is 40 hex digits, was \"" + value + "\"");
    }
  }
}
