package io.holdfast.embedded;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongPredicate;

/// How one server is run.
///
/// @param command its command line; names `folder`, by which we know the process again
/// @param folder where its data are
/// @param stop what ends it cleanly, with everything written
/// @param isReady whether the process with this pid takes commands now
record Blueprint(
    String name, List<String> command, Path folder, Signal stop, LongPredicate isReady) {

  Path pidFile() {
    return folder.resolveSibling(folder.getFileName() + ".pid");
  }

  Path log() {
    return folder.resolveSibling(folder.getFileName() + ".log");
  }
}
