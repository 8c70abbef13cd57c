package io.holdfast.runtime;

/// Marks an exception for a server that gave no answer. A task that ends with it is not broken: it
/// waits for that server.
public interface DependencyUnavailable {

  /// Whether nothing was changed for certain. Otherwise only a later read can find out.
  boolean isDefinite();
}
