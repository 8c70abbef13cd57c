package io.holdfast.embedded;

import java.util.List;
import java.util.function.LongPredicate;

/// How to run one server.
///
/// @param command its command line
/// @param beforeRun runs before each launch, while the server does not run
/// @param stop the signal that ends it cleanly
/// @param isReady whether the process with this pid accepts commands
record ServerSpec(
    String name,
    ServerIdentity identity,
    List<String> command,
    Runnable beforeRun,
    Signal stop,
    LongPredicate isReady) {}
