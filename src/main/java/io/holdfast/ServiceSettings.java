package io.holdfast;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where the door is, and where the servers that we run ourselves keep their things.
///
/// @param port 0 takes any free one; `run.json` says which
/// @param data the folder for embedded servers and `run.json`
/// @param binaries where embedded servers are unpacked to; by default inside `data`
@ConfigurationProperties("holdfast")
record ServiceSettings(
    @Bindable(defaultValue = "8080") int port,
    @Bindable(defaultValue = ".holdfast") String data,
    @Nullable String binaries,
    @Bindable(defaultValue = "human") String log) {

  ServiceSettings {
    WrongSetting.unlessBetween("holdfast.port", 0, 65_535, port);
    if (data.isBlank()) {
      throw new WrongSetting("holdfast.data", "must name a folder", "blank");
    }
    if (!log.equals("human") && !log.equals("json")) {
      throw new WrongSetting("holdfast.log", "must be human or json", log);
    }
  }

  Path dataFolder() {
    return Path.of(data);
  }

  Path binariesFolder() {
    return binaries == null ? dataFolder().resolve("servers") : Path.of(binaries);
  }
}
