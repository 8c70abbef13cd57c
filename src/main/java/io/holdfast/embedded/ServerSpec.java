package io.holdfast.embedded;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;

/// How one server is run.
///
/// @param command its command line
/// @param folder where its data are
/// @param marker the argument that no server of another folder has
/// @param beforeRun is done each time before the server is launched, when none of ours runs
/// @param stop what ends it cleanly, with everything written
/// @param isReady whether the process with this pid takes commands now
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

  /// Pids are used again by others, so it takes the program and the very argument to be ours.
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
