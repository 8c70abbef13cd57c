package io.holdfast.runtime;

/// Marks an exception for a server that gave no answer. A task that ends with it is not broken: it
/// waits for that server.
public interface DependencyUnavailable {

  /// Whether nothing was changed for certain. Otherwise only a later read can find out.
  boolean isDefinite();

  /// Whether its cause is logged in one place for all that meet it, so nobody else logs it.
  default boolean isLogged() {
    return false;
  }

  /// Whether the failure is such an exception, and its cause is logged.
  static boolean isLogged(Throwable failure) {
    return failure instanceof DependencyUnavailable server && server.isLogged();
  }
}
