package io.holdfast.runtime;

/// Marks an exception that says that a server gave no answer. A task that ends with it is not
/// broken: it waits for that server.
public interface DependencyUnavailable {}
