package io.holdfast.runtime;

/// What must be done before the door opens: links that have to stand, migrations, seeding. All of
/// these run once, in the order of their `@Order`, on the starting thread and never on an event
/// loop, since a connection that is made there for the first request would hang every request.
public interface StartupTask {
  /// The order of tasks that need the schema and the connections.
  int AFTER_MIGRATIONS = 100;

  void atStart();
}
