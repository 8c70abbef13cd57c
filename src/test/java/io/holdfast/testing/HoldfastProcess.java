package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The service as a separate process, started by its start script or by `java`, with only the
/// environment that a test sets.
public final class HoldfastProcess implements AutoCloseable {
  /// Property with the class path that precedes the classes of the service, ending in a separator.
  public static final String ABLATED = "holdfast.test.ablated";

  /// These processes run for seconds: the optimising compiler does not pay off, and takes two
  /// fifths of the CPU time of a start.
  private static final String QUICKLY_COMPILED = "-XX:TieredStopAtLevel=1";

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path data;
  private final Path output;
  private final Process process;

  private HoldfastProcess(Path data, Path output, Process process) {
    this.data = data;
    this.output = output;
    this.process = process;
  }

  /// Starts `bin/holdfast` on any free port, unless `environment` sets one.
  public static HoldfastProcess start(
      Path data, Map<String, String> environment, String... arguments) {
    var command = new ArrayList<String>();
    command.add(Folders.installation().resolve("bin/holdfast").toString());
    command.addAll(List.of(arguments));
    return start(data, environment, command);
  }

  /// Starts the same program with a longer class path. The AOT cache of the installation still
  /// fits, because its jars come first and in the same order. In an ablation, the changed classes
  /// precede them.
  public static HoldfastProcess startWith(
      Path classPath, Path data, Map<String, String> environment) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var rehearsed = Folders.installation().resolve("lib/holdfast.aot");
    var command =
        List.of(
            java,
            QUICKLY_COMPILED,
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:AOTCache=" + rehearsed,
            "-Xlog:aot=off",
            "-cp",
            System.getProperty(ABLATED, "") + jars() + File.pathSeparator + classPath,
            "io.holdfast.app.Application");
    return start(data, environment, command);
  }

  private static String jars() {
    try (var files = Files.list(Folders.installation().resolve("lib"))) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(".jar"))
          .sorted(
              Comparator.comparing((String file) -> !file.contains("/lib/holdfast-"))
                  .thenComparing(file -> file))
          .collect(Collectors.joining(File.pathSeparator));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HoldfastProcess start(
      Path data, Map<String, String> environment, List<String> command) {
    try {
      Files.createDirectories(data.getParent());
      var output = Files.createTempFile(data.getParent(), "output", ".log");
      var builder =
          new ProcessBuilder(command)
              .directory(data.getParent().toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().keySet().retainAll(List.of("PATH", "HOME", "LANG"));
      builder.environment().putAll(defaults(data));
      if (environment.containsKey("JDBC_URL")) {
        builder.environment().put("HOLDFAST_ID_KEY", TestServers.ID_KEY);
      }
      builder.environment().putAll(environment);
      return new HoldfastProcess(data, output, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> defaults(Path data) {
    return new TreeMap<>(
        Map.of(
            "HOLDFAST_PORT",
            "0",
            "JAVA_OPTS",
            QUICKLY_COMPILED,
            "HOLDFAST_DATA",
            data.toString(),
            "HOLDFAST_BINARIES",
            Folders.binaries().toString()));
  }

  /// Waits until requests are accepted and returns `run.json`.
  public JsonNode awaitReady() {
    Await.until(PATIENCE, () -> isReady() || !process.isAlive());
    assertThat(process.isAlive()).as("the service ended: %s", output()).isTrue();
    return runFile().orElseThrow();
  }

  /// A killed process leaves its file until the next one deletes it.
  public boolean isReady() {
    return runFile().filter(run -> run.path("pid").asLong() == pid()).isPresent();
  }

  /// Empty if there is no file, or if the next process is deleting it.
  private Optional<JsonNode> runFile() {
    try {
      return Optional.of(new ObjectMapper().readTree(Files.readAllBytes(data.resolve("run.json"))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public void terminate() {
    process.destroy();
  }

  /// Kills as `kill -9` does.
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  public int awaitExit() {
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("the process ends: %s", output())
          .isTrue();
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// The running processes with `data` on their command line.
  public static List<String> processesOf(Path data) {
    return naming(data).flatMap(process -> process.info().commandLine().stream()).toList();
  }

  /// Kills the embedded servers, whose command lines contain the data folder.
  public static void killServersOf(Path data) {
    naming(data).forEach(ProcessHandle::destroyForcibly);
  }

  private static Stream<ProcessHandle> naming(Path data) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(data.toString()));
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      terminate();
      awaitExit();
    }
  }
}
