package io.holdfast.runtime;

/// Marks an exception that says that a server gave no answer. A task that ends with it is not
/// broken: it waits for that server.
public interface DependencyUnavailable {

  /// Whether nothing was changed. Otherwise only a second look can tell.
  boolean isDefinite();
}
