package io.holdfast.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// How the service under test is started: as the start script does it. All that differs is the bare
/// endpoint on its class path, the key, that one caller may ask as often as it likes, and the
/// payment simulator, which comes with the demo.
final class Launch {
  static final String KEY = "hf_bench_0123456789abcdef0123456789abcdef";
  static final Path BUILD =
      Path.of(System.getProperty("holdfast.test.project", "")).toAbsolutePath().resolve("build");

  private Launch() {}

  static List<String> command() {
    var command = java("-XX:AOTCache=" + BUILD.resolve("install/holdfast/lib/holdfast.aot"));
    command.addAll(
        Pattern.compile(" +")
            .splitAsStream(System.getProperty("holdfast.bench.options", ""))
            .filter(option -> !option.isEmpty())
            .toList());
    command.addAll(List.of("-cp", classPath(), "io.holdfast.app.Application"));
    return command;
  }

  /// The bare application, with the same options.
  static List<String> bareApp(String cacheOption) {
    var command = java(cacheOption);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("holdfast.bench.bareApp"),
            "io.holdfast.bareapp.BareApplication"));
    return command;
  }

  private static List<String> java(String cacheOption) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            cacheOption,
            "-Xlog:aot=off"));
  }

  /// The installed jars as the start script orders them, so that the AOT cache suits; ours last.
  private static String classPath() {
    try (var files = Files.list(BUILD.resolve("install/holdfast/lib"))) {
      var jars =
          files
              .map(Path::toString)
              .filter(file -> file.endsWith(".jar"))
              .sorted(
                  Comparator.comparing((String file) -> !file.contains("/lib/holdfast-"))
                      .thenComparing(file -> file))
              .collect(Collectors.joining(File.pathSeparator));
      return String.join(
          File.pathSeparator,
          jars,
          BUILD.resolve("classes/java/bench").toString(),
          BUILD.resolve("resources/bench").toString());
    } catch (IOException e) {
      throw new UncheckedIOException("run ./gradlew installDist first", e);
    }
  }

  static Map<String, String> environment(Path folder) {
    return Map.of(
        "HOLDFAST_HOST", "127.0.0.1",
        "HOLDFAST_PORT", "0",
        "HOLDFAST_DATA", folder.resolve("data").toString(),
        "HOLDFAST_BINARIES", RedisBinary.given().servers().toString(),
        "HOLDFAST_DEMO", "true",
        "HOLDFAST_OPERATOR_KEY", KEY,
        "HOLDFAST_RATE_LIMIT", "off",
        "HOLDFAST_WEBHOOKS_PRIVATE", "true");
  }
}
