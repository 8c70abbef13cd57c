package io.holdfast.runtime;

/// Checks whether a server that the service depends on answers. It is called about once a second,
/// in the background, and returns within the time limit of that server.
public interface HealthProbe {

  /// Of the server: `redis`, `postgres`.
  String name();

  boolean isAlive();
}
