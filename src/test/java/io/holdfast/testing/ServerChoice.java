package io.holdfast.testing;

import java.util.Map;
import java.util.function.BooleanSupplier;

/// Which server a run of tests uses: the one whose address is given, else a container where Docker
/// is there, else the embedded one.
enum ServerChoice {
  GIVEN,
  CONTAINER,
  EMBEDDED;

  /// @param variable the environment variable that would give the address
  static ServerChoice of(String variable, Map<String, String> environment, BooleanSupplier docker) {
    if (!environment.getOrDefault(variable, "").isBlank()) {
      return GIVEN;
    }
    return docker.getAsBoolean() ? CONTAINER : EMBEDDED;
  }
}
