package io.holdfast.runtime;

/// Work before the service accepts requests: connections, migrations, seeding. Tasks run once, in
/// the order of their `@Order`, on the starting thread and never on an event loop: a connection
/// that is made there for the first request would hang all requests.
public interface StartupTask {
  /// The order of tasks that need the schema and the connections.
  int AFTER_MIGRATIONS = 100;

  void atStart();
}
