package io.holdfast.runtime;

import jakarta.inject.Singleton;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The name of this instance among those that share the work.
@Singleton
public final class InstanceId {
  private final String name =
      ProcessHandle.current().pid()
          + "-"
          + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

  public String name() {
    return name;
  }
}
