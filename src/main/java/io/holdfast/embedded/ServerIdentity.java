package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/// What a server of a data folder is recognised by, also when an earlier run has left it behind.
///
/// @param folder the folder of its data
/// @param programs the file names of its program, and of the programs that launch it
/// @param marker an argument that servers of other folders do not have
record ServerIdentity(Path folder, List<String> programs, String marker) {
  private static final int PORT_MAX = 65_535;

  Path pidFile() {
    return file("pid");
  }

  Path log() {
    return file("log");
  }

  /// Compares program and marker, because pids are reused by other processes.
  boolean describes(ProcessHandle process) {
    var info = process.info();
    return info.command().map(ServerIdentity::fileName).filter(programs::contains).isPresent()
        && Arrays.asList(info.arguments().orElse(new String[0])).contains(marker);
  }

  /// The port of the last run; empty if there is none, or if the file cannot be understood.
  OptionalInt lastPort() {
    try {
      var file = file("port");
      var text = Files.exists(file) ? Files.readString(file).strip() : "";
      var port = text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
      return port > 0 && port <= PORT_MAX ? OptionalInt.of(port) : OptionalInt.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the last port of " + folder, e);
    }
  }

  void keepPort(int port) {
    try {
      Files.writeString(file("port"), port + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the port of " + folder, e);
    }
  }

  private Path file(String kind) {
    return folder.resolveSibling(folder.getFileName() + "." + kind);
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
