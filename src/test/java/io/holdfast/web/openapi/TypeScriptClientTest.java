package io.holdfast.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.events.PricedPools;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A TypeScript client that is generated from the OpenAPI document compiles strictly and works. It
/// is in src/test/typescript, with the versions of its tools pinned.
@ExtendWith(RealServers.class)
@Tag("slow")
class TypeScriptClientTest {
  private static final int MINUTES = 4;
  private static final Pattern OUT_OF_REACH =
      Pattern.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH");

  @Test
  @Requirement("AU-15")
  void a_generated_client_compiles_strictly_and_sells_seats(
      TestServers servers, @TempDir Path folder) throws Exception {
    assumeTrue(isThere("npm") && isThere("node"), "SKIPPED: npm is not installed on this machine");
    copySources(folder);
    var installed = run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
    assumeFalse(
        OUT_OF_REACH.matcher(installed.output).find(),
        "SKIPPED: npm cannot fetch its packages: " + installed.output);
    assertThat(installed.code).as(installed.output).isZero();

    try (var service = RealServers.start(servers, Map.of("holdfast.demo", "true"))) {
      var api = Api.of(service);
      var pool = PricedPools.create(api, "A-1", "A-2", "A-3");
      Files.writeString(
          folder.resolve("openapi.json"), Http.get(service.http(), "/openapi.json").body());

      assertSucceeds(run(folder, "npm", "run", "--silent", "generate"));
      assertSucceeds(run(folder, "npm", "run", "--silent", "compile"));
      var bought =
          run(folder, "node", "build/buyer.js", service.http().toString(), api.key(), pool);

      assertSucceeds(bought);
      assertThat(steps(bought.output))
          .containsExactly(
              "{\"step\":\"hold\",\"state\":\"HELD\",\"items\":[\"A-1\"]}",
              "{\"step\":\"heartbeat\",\"isLater\":true}",
              "{\"step\":\"confirm\",\"state\":\"CONFIRMED\",\"hasCommitment\":true}",
              "{\"step\":\"checkout\",\"state\":\"FULFILLED\",\"hasLocation\":true}",
              "{\"step\":\"refused\",\"status\":409,\"code\":\"resource-unavailable\","
                  + "\"items\":[\"A-1\"],\"page\":200}");
      assertThat(api.stateOf(pool, "A-3")).isEqualTo("SOLD");
    }
  }

  @Test
  void the_versions_of_the_tools_are_pinned_and_no_host_is_named() throws IOException {
    var lock = Http.json(Files.readString(sources().resolve("package-lock.json")));
    var tools = Http.json(Files.readString(sources().resolve("package.json")));

    assertThat(lock.toString()).doesNotContain("://");
    for (var group : List.of("dependencies", "devDependencies")) {
      assertThat(tools.path(group)).isNotEmpty().allMatch(TypeScriptClientTest::isPinned);
      assertThat(lock.path("packages").path("").path(group)).isEqualTo(tools.path(group));
    }
  }

  private static boolean isPinned(JsonNode version) {
    return version.asText().matches("\\d+\\.\\d+\\.\\d+");
  }

  private static Path sources() {
    return Folders.project().resolve("src/test/typescript");
  }

  private static void copySources(Path folder) throws IOException {
    try (var files = Files.list(sources())) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, folder.resolve(file.getFileName()));
      }
    }
  }

  private record Ended(int code, String output) {}

  private static void assertSucceeds(Ended program) {
    assertThat(program.code).as(program.output).isZero();
  }

  private static Ended run(Path folder, String... command) throws Exception {
    var log = folder.resolve("log.txt");
    var process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).as(String.join(" ", command)).isTrue();
      return new Ended(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static List<String> steps(String output) {
    return output.lines().filter(line -> line.startsWith("{")).toList();
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
