package io.holdfast.embedded;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;

/// How to run one server.
///
/// @param command its command line
/// @param folder the folder of its data
/// @param marker an argument that servers of other folders do not have
/// @param beforeRun runs before each launch, while the server does not run
/// @param stop the signal that ends it cleanly
/// @param isReady whether the process with this pid accepts commands
record ServerSpec(
    String name,
    List<String> command,
    Path folder,
    String marker,
    Runnable beforeRun,
    Signal stop,
    LongPredicate isReady) {

  Path pidFile() {
    return folder.resolveSibling(folder.getFileName() + ".pid");
  }

  Path log() {
    return folder.resolveSibling(folder.getFileName() + ".log");
  }

  /// Compares program and marker, because pids are reused by other processes.
  boolean describes(ProcessHandle process) {
    var info = process.info();
    return info.command().filter(this::isOurProgram).isPresent()
        && Arrays.asList(info.arguments().orElse(new String[0])).contains(marker);
  }

  private boolean isOurProgram(String path) {
    return command.stream().anyMatch(part -> fileName(part).equals(fileName(path)));
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
