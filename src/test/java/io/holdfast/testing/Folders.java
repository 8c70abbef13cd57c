package io.holdfast.testing;

import java.nio.file.Path;

/// The folders of the project and its build.
public final class Folders {
  private Folders() {}

  public static Path project() {
    return Path.of(System.getProperty("holdfast.test.project", "")).toAbsolutePath();
  }

  public static Path build() {
    return project().resolve("build");
  }

  /// The installation of `installDist`.
  public static Path installation() {
    return build().resolve("install/holdfast");
  }

  /// The shared folder of the unpacked servers.
  public static Path binaries() {
    return build().resolve("servers");
  }
}
