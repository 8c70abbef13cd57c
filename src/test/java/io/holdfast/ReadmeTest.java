package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Follows the README in a fresh copy of the project, command by command, as a newcomer would.
@Tag("slow")
class ReadmeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern FENCED = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");

  /// Whoever runs these tests in the background has Ctrl-C ignored for all that they start; only a
  /// language that can say otherwise undoes that.
  private static final String HEEDING_CTRL_C =
      "exec perl -e '$SIG{INT} = \"DEFAULT\"; exec @ARGV' %s";

  private static final String RUN = "./gradlew run";
  private static final String CHECK = "./gradlew check";
  private static final Set<String> NOT_COPIED = Set.of(".git", ".gradle", ".holdfast", "build");

  @TempDir Path folder;

  /// What a newcomer copies after `./gradlew run`.
  @Test
  void every_request_works_against_the_installed_program() throws Exception {
    Files.createDirectory(folder.resolve("copy"));
    try (var service = HoldfastProcess.start(folder.resolve("data"), Map.of())) {
      var port = URI.create(service.awaitReady().get("http").asText()).getPort();
      for (var command : commands()) {
        if (!command.startsWith("./gradlew") && !command.startsWith("build/")) {
          assertThat(run(command.replace("8080", "" + port), port)).isNotBlank();
        }
      }
    }
  }

  @Test
  @Tag("proof")
  void every_command_works_in_a_fresh_copy() throws Exception {
    copyProject();
    var port = EmbeddedServers.freePort();
    Process service = null;
    for (var command : commands()) {
      switch (command) {
        case RUN -> service = startService(port);
        case CHECK -> assertThat(ciScript()).contains(CHECK); // which runs this very test
        default -> assertThat(run(command.replace("8080", "" + port), port)).isNotBlank();
      }
    }

    assertThat(run("curl -s http://localhost:" + port + "/health", port))
        .contains("\"status\":\"UP\"");
    interrupt(service);
    Await.until(Duration.ofSeconds(30), () -> HoldfastProcess.processesOf(folder).isEmpty());
  }

  @Test
  void every_local_link_leads_somewhere() throws IOException {
    for (var document :
        List.of("README.md", "gradle/central/README.md", "docs/decisions/README.md")) {
      var file = Folders.project().resolve(document);
      Pattern.compile("\\]\\((?!http)([^)#]+)\\)")
          .matcher(Files.readString(file))
          .results()
          .forEach(link -> assertThat(file.resolveSibling(link.group(1))).exists());
    }
  }

  private static List<String> commands() throws IOException {
    var found = new ArrayList<String>();
    FENCED
        .matcher(Files.readString(Folders.project().resolve("README.md")))
        .results()
        .forEach(block -> found.addAll(block.group(1).lines().toList()));
    assertThat(found).contains(RUN, CHECK);
    return found;
  }

  private static String ciScript() throws IOException {
    return Files.readString(Folders.project().resolve(".ci/run"));
  }

  private Process startService(int port) throws IOException {
    var log = folder.resolve("service.log");
    var service = process(RUN, port).redirectOutput(log.toFile()).start();
    var runFile = folder.resolve("copy/.holdfast/run.json");
    Await.until(PATIENCE, () -> Files.exists(runFile) || !service.isAlive());
    assertThat(service.isAlive()).as(Files.readString(log)).isTrue();
    return service;
  }

  private String run(String command, int port) throws Exception {
    var process = process(command, port).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
    return output;
  }

  private ProcessBuilder process(String command, int port) {
    var builder =
        new ProcessBuilder("sh", "-c", HEEDING_CTRL_C.formatted(command))
            .directory(folder.resolve("copy").toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("REDIS_URI", "JDBC_URL", "HOLDFAST_DATA"));
    builder.environment().put("HOLDFAST_PORT", "" + port);
    builder.environment().put("GRADLE_OPTS", "-Dorg.gradle.daemon=false");
    return builder;
  }

  /// What Ctrl-C sends.
  private static void interrupt(Process service) throws Exception {
    new ProcessBuilder("sh", "-c", "kill -INT " + service.pid()).start().waitFor();
    assertThat(service.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(service.exitValue()).isNotZero();
  }

  private void copyProject() throws IOException {
    var source = Folders.project();
    Files.walkFileTree(
        source,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            if (path.getParent().equals(source)
                && NOT_COPIED.contains(path.getFileName().toString())) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(target(path));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(path, target(path), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          private Path target(Path path) {
            return folder.resolve("copy").resolve(source.relativize(path).toString());
          }
        });
  }
}
