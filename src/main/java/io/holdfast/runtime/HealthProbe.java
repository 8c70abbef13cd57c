package io.holdfast.runtime;

/// Checks whether a server that the service depends on works. It is called about once a second, in
/// the background, and returns within the time limit of that server.
public interface HealthProbe {

  /// What was found. `DISK_FULL`: the server answers, but it can store nothing more. The probe logs
  /// that itself.
  enum State {
    UP,
    DOWN,
    DISK_FULL
  }

  /// Of the server: `redis`, `postgres`.
  String name();

  State check();
}
