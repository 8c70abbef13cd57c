package io.holdfast.testing;

import java.nio.file.Path;

/// Where the project and the products of its build are.
public final class Folders {
  private Folders() {}

  public static Path project() {
    return Path.of(System.getProperty("holdfast.project", "")).toAbsolutePath();
  }

  public static Path build() {
    return project().resolve("build");
  }

  /// The installation that `installDist` makes.
  public static Path installation() {
    return build().resolve("install/holdfast");
  }

  /// One place for the unpacked servers, so that not every test unpacks them again.
  public static Path binaries() {
    return build().resolve("servers");
  }
}
