package io.holdfast.app;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/// Where the door is, and where the servers that we run ourselves keep their things.
///
/// @param host the one address to listen on; by default all of them, or in demo mode our own
/// @param port 0 takes any free one; `run.json` says which
/// @param data the folder for embedded servers and `run.json`
/// @param binaries where embedded servers are unpacked to; by default inside `data`
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

  /// The demo key is known to everybody, so a demo does not open to the network unless told to.
  Optional<String> hostIf(boolean isDemo) {
    return isDemo ? host.or(() -> Optional.of(LOOPBACK)) : host;
  }

  private static Optional<Path> path(Settings settings, String name) {
    try {
      return settings.text(name).map(Path::of);
    } catch (InvalidPathException e) {
      throw new InvalidSetting(
          name, "must name a folder in the letters of this locale", e.getInput());
    }
  }

  /// The log has long begun by now; it took an unknown form for the human one.
  private static void refuseUnknownLog(Settings settings) {
    var log = settings.text("holdfast.log").orElse("human");
    if (!log.equals("human") && !log.equals("json")) {
      throw new InvalidSetting("holdfast.log", "must be human or json", log);
    }
  }
}
