package io.holdfast.runtime;

/// A server that gives no answer, as `PostgresUnavailable` says it.
final class ServerLost extends RuntimeException implements DependencyUnavailable {
  private static final long serialVersionUID = 1L;

  ServerLost() {
    super("no answer\n  from the server");
  }
}
