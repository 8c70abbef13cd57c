package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.ShellSession;
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

/// Runs the commands of the README and of the pages behind it, block by block, as a newcomer pastes
/// them.
@Tag("slow")
class ReadmeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Pattern FENCED = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");

  /// A test run in the background ignores Ctrl-C, and its child processes inherit that. Perl resets
  /// the signal handler.
  private static final String HEEDING_CTRL_C =
      "exec perl -e '$SIG{INT} = \"DEFAULT\"; exec @ARGV' %s";

  private static final List<String> PAGES =
      List.of(
          "README.md",
          "docs/checkouts.md",
          "docs/operations.md",
          "docs/stock.md",
          "docs/waiting-room.md",
          "docs/auctions.md",
          "docs/reservations.md",
          "docs/deterministic-ids.md",
          "docs/bridges.md",
          "docs/pools.md");

  /// A request of these pages that ends so was not sent as the page means it.
  private static final List<String> MISTAKES =
      List.of("invalid-request", "not-known", "unauthenticated", "token-collision", "No such file");

  private static final int README_LINES_MAX = 200;
  private static final Pattern METRIC = Pattern.compile("`(holdfast_(?!service|auditor)[a-z_]+)");

  private static final String METRICS_KEY = "key-of-the-scraper-in-tests";
  private static final String RUN = "./gradlew run";
  private static final String CHECK = "./gradlew check";
  private static final Set<String> NOT_COPIED = Set.of(".git", ".gradle", ".holdfast", "build");

  @TempDir Path folder;

  /// The commands after `./gradlew run`.
  @Test
  void every_request_works_against_the_installed_program() throws Exception {
    var settings = Map.of("HOLDFAST_METRICS_KEY", METRICS_KEY);
    try (var service = HoldfastProcess.start(folder.resolve("data"), settings);
        var shell = ShellSession.in(folder, Map.of())) {
      var http = URI.create(service.awaitReady().get("http").asText());
      for (var block : blocks()) {
        var requests = block.lines().filter(line -> !isOfTheBuild(line)).toList();
        if (!requests.isEmpty()) {
          assertRuns(shell, String.join("\n", requests), http.getPort());
        }
      }
      var metrics = Http.get(http, "/prometheus", "Authorization", "Bearer " + METRICS_KEY);
      assertThat(metrics.body()).contains(metricsOfTheOperationsPage());
    }
  }

  @Test
  @Tag("proof")
  void every_command_works_in_a_fresh_copy() throws Exception {
    copyProject();
    var port = EmbeddedServers.freePort();
    var environment =
        Map.of("HOLDFAST_PORT", "" + port, "GRADLE_OPTS", "-Dorg.gradle.daemon=false");
    Process service = null;
    try (var shell = ShellSession.in(folder.resolve("copy"), environment)) {
      for (var block : blocks()) {
        switch (block.strip()) {
          case RUN -> service = startService(environment);
          case CHECK -> assertThat(ciScript()).contains(CHECK); // which runs this very test
          default -> assertRuns(shell, block, port);
        }
      }
      assertThat(shell.run("curl -s http://localhost:" + port + "/health"))
          .contains("\"status\":\"UP\"");
    }
    interrupt(service);
    Await.until(Duration.ofSeconds(30), () -> HoldfastProcess.processesOf(folder).isEmpty());
  }

  @Test
  void the_readme_is_short() throws IOException {
    assertThat(Files.readAllLines(Folders.project().resolve("README.md")))
        .hasSizeLessThanOrEqualTo(README_LINES_MAX);
  }

  private static List<String> blocks() throws IOException {
    var found = new ArrayList<String>();
    for (var page : PAGES) {
      FENCED
          .matcher(Files.readString(Folders.project().resolve(page)))
          .results()
          .forEach(block -> found.add(block.group(1)));
    }
    assertThat(found).contains(RUN + "\n", CHECK + "\n");
    return found;
  }

  private static boolean isOfTheBuild(String command) {
    return command.startsWith("./gradlew") || command.startsWith("build/");
  }

  private static void assertRuns(ShellSession shell, String block, int port) throws IOException {
    var output = shell.run(block.replace("8080", "" + port));
    assertThat(output).as(block).isNotBlank().doesNotContain(MISTAKES);
    if (block.contains("pay decline")) {
      assertThat(output).as(block).containsSubsequence("payment-declined", "FULFILLED");
    }
  }

  private static String[] metricsOfTheOperationsPage() throws IOException {
    return METRIC
        .matcher(Files.readString(Folders.project().resolve("docs/operations.md")))
        .results()
        .map(found -> found.group(1))
        .toArray(String[]::new);
  }

  private static String ciScript() throws IOException {
    return Files.readString(Folders.project().resolve(".ci/run"));
  }

  private Process startService(Map<String, String> environment) throws IOException {
    var log = folder.resolve("service.log");
    var builder =
        new ProcessBuilder("sh", "-c", HEEDING_CTRL_C.formatted(RUN))
            .directory(folder.resolve("copy").toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeAll(List.of("REDIS_URI", "JDBC_URL", "HOLDFAST_DATA"));
    builder.environment().putAll(environment);
    var service = builder.start();
    var runFile = folder.resolve("copy/.holdfast/run.json");
    Await.until(PATIENCE, () -> Files.exists(runFile) || !service.isAlive());
    assertThat(service.isAlive()).as(Files.readString(log)).isTrue();
    return service;
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
