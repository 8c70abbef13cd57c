package io.holdfast.embedded;

import java.nio.file.Path;

/// The embedded Redis program, for tests that run it in a way of their own: as a replica, as a
/// cluster.
public final class RedisProgram {
  private RedisProgram() {}

  public static Path in(Path binaries) {
    return EmbeddedRedis.executable(binaries);
  }
}
