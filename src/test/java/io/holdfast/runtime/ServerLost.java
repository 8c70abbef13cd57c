package io.holdfast.runtime;

/// A failure of a server, in the form of `PostgresUnavailable`.
final class ServerLost extends RuntimeException implements DependencyUnavailable {
  private static final long serialVersionUID = 1L;

  private final boolean isDefinite;

  ServerLost() {
    this(true);
  }

  ServerLost(boolean isDefinite) {
    super("no answer\n  from the server");
    this.isDefinite = isDefinite;
  }

  @Override
  public boolean isDefinite() {
    return isDefinite;
  }
}
