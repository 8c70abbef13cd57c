package io.holdfast.app;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/// The HTTP address, and the folders of the embedded servers.
///
/// @param host the address to listen on; by default all, in demo mode the loopback address
/// @param port 0 for any free one, which `run.json` then has
/// @param data the folder for embedded servers and `run.json`
/// @param binaries the folder for the unpacked servers; by default inside `data`
record ServiceSettings(Optional<String> host, int port, Path data, Path binaries) {
  private static final String LOOPBACK = "127.0.0.1";

  ServiceSettings {
    InvalidSetting.unlessBetween("holdfast.port", 0, 65_535, port);
  }

  static ServiceSettings of(Settings settings) {
    refuseUnknownLog(settings);
    var data = path(settings, "holdfast.data").orElse(Path.of(".holdfast"));
    return new ServiceSettings(
        settings.text("holdfast.host"),
        settings.number("holdfast.port", 8080),
        data,
        path(settings, "holdfast.binaries").orElse(data.resolve("servers")));
  }

  /// The demo key is public, so a demo listens on the loopback address unless a host is set.
  Optional<String> hostIf(boolean isDemo) {
    return isDemo ? host.or(() -> Optional.of(LOOPBACK)) : host;
  }

  private static Optional<Path> path(Settings settings, String name) {
    try {
      return settings.text(name).map(Path::of);
    } catch (InvalidPathException e) {
      throw new InvalidSetting(name, "must be a path that this locale can express", e.getInput());
    }
  }

  /// The log is already configured by now; it uses the human format for an unknown value.
  private static void refuseUnknownLog(Settings settings) {
    var log = settings.text("holdfast.log").orElse("human");
    if (!log.equals("human") && !log.equals("json")) {
      throw new InvalidSetting("holdfast.log", "must be human or json", log);
    }
  }
}
