package io.holdfast.runtime;

/// A server that the service leans on, and whether it answers. Asked about once a second, in the
/// background; may take its own time limit, but no longer.
public interface HealthProbe {

  /// As people call it: `redis`, `postgres`.
  String name();

  boolean isAlive();
}
