package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// How PostgreSQL, which refuses to run as root, is run when we are root: in a user namespace of
/// its own where the kernel allows that, else as the user nobody, who then owns its files.
enum PrivilegeDrop {
  AS_WE_ARE(List.of()),
  OWN_NAMESPACE(List.of("unshare", "--user")),
  AS_NOBODY(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));

  private static final int NOBODY = 65534;

  private final List<String> prefix;

  PrivilegeDrop(List<String> prefix) {
    this.prefix = prefix;
  }

  static PrivilegeDrop choose() {
    if (!isRoot()) {
      return AS_WE_ARE;
    }
    for (var way : List.of(OWN_NAMESPACE, AS_NOBODY)) {
      if (way.works()) {
        return way;
      }
    }
    throw new StartFailure(
        "PostgreSQL refuses to run as root, and this machine has neither user namespaces nor"
            + " setpriv to change that; start Holdfast as an ordinary user, or set JDBC_URL to your"
            + " own server.");
  }

  /// The words before a command that make it run this way.
  List<String> prefix() {
    return prefix;
  }

  /// Gives `path` and everything below it to the user who runs the server.
  void own(Path path) throws IOException {
    if (!isRoot() || Files.notExists(path)) {
      return;
    }
    var owner = this == AS_NOBODY ? NOBODY : 0;
    if (owner == (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (var files = Files.walk(path)) {
      for (var file : (Iterable<Path>) files::iterator) {
        Files.setAttribute(file, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(file, "unix:gid", owner, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  /// Lets the user who runs the server pass through `folder` without reading it.
  void open(Path folder) throws IOException {
    if (this == AS_NOBODY) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    }
  }

  boolean works() {
    try {
      var command = new ArrayList<>(prefix);
      command.add("true");
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().transferTo(OutputStream.nullOutputStream());
      return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean isRoot() {
    try {
      return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    } catch (IOException | UnsupportedOperationException e) {
      return "root".equals(System.getProperty("user.name"));
    }
  }
}
