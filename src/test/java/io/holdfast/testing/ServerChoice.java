package io.holdfast.testing;

import java.util.Map;
import java.util.function.BooleanSupplier;

/// Selects the servers of a test run: given addresses, else containers if Docker is available, else
/// the embedded servers.
enum ServerChoice {
  GIVEN,
  CONTAINER,
  EMBEDDED;

  /// @param variable the environment variable with the address
  static ServerChoice of(String variable, Map<String, String> environment, BooleanSupplier docker) {
    if (!environment.getOrDefault(variable, "").isBlank()) {
      return GIVEN;
    }
    return docker.getAsBoolean() ? CONTAINER : EMBEDDED;
  }
}
