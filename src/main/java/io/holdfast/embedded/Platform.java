package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.util.Locale;

/// The names of this machine's platform in the archives of the two servers.
///
/// @param postgres as in `postgres-linux-x86_64.txz`
/// @param redis as in `redis-server-7.0.15-linux-amd64`
record Platform(String postgres, String redis) {

  static Platform current() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  static Platform of(String os, String architecture) {
    var system =
        switch (os.toLowerCase(Locale.ROOT)) {
          case String s when s.startsWith("linux") -> "linux";
          case String s when s.startsWith("mac") -> "darwin";
          default -> throw unknown(os, architecture);
        };
    return switch (architecture) {
      case "amd64", "x86_64" -> new Platform(system + "-x86_64", system + "-amd64");
      case "aarch64", "arm64" -> new Platform(system + "-arm_64", system + "-arm64");
      default -> throw unknown(os, architecture);
    };
  }

  private static StartFailure unknown(String os, String architecture) {
    return new StartFailure(
        "There are no embedded servers for %s on %s; set REDIS_URI and JDBC_URL to your own servers."
            .formatted(os, architecture));
  }
}
