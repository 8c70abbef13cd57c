package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The start script finds a suitable Java, or names in one sentence what is missing.
class StartScriptTest {
  private static final String JAVA_HOME = System.getProperty("java.home");

  @TempDir Path folder;

  @Test
  void a_java_home_that_fits_is_taken() throws Exception {
    var fitting = fakeJdk("a jdk", "25.0.1");

    assertThat(start(script(), Map.of("JAVA_HOME", fitting.toString())))
        .isEqualTo(new End(0, "started by " + fitting));
  }

  @Test
  void a_java_home_that_is_too_old_is_passed_over_for_one_on_the_path() throws Exception {
    var environment =
        Map.of(
            "JAVA_HOME",
            fakeJdk("old", "17.0.15").toString(),
            "PATH",
            fakeJdk("new", "26").resolve("bin") + ":/usr/bin:/bin");

    assertThat(start(script(), environment).output()).endsWith("new");
  }

  @Test
  void a_java_in_the_usual_places_is_found_though_neither_home_nor_path_names_it()
      throws Exception {
    var home = folder.resolve("home");
    Files.createDirectories(home.resolve(".jdks"));
    fakeJdk("home/.jdks/temurin", "99");
    var needing99 = copyNeeding("99");

    assertThat(start(needing99, Map.of("HOME", home.toString(), "PATH", "/usr/bin:/bin")).output())
        .endsWith(".jdks/temurin");
  }

  @Test
  void without_a_fitting_java_one_sentence_says_what_is_missing() throws Exception {
    var end = start(copyNeeding("99"), Map.of("JAVA_HOME", fakeJdk("old", "17").toString()));

    assertThat(end.code()).isEqualTo(1);
    assertThat(end.output().lines()).hasSize(1);
    assertThat(end.output())
        .contains("Holdfast needs Java 99 or newer")
        .contains("17 (" + folder.toRealPath().resolve("old") + ")")
        .contains("set JAVA_HOME");
  }

  @Test
  void the_single_jar_says_the_same_to_an_older_java() throws Exception {
    var old = olderJava();
    assumeTrue(old != null, "this machine has no older Java");
    try (var files = Files.list(Folders.build().resolve("libs"))) {
      var jar =
          files.filter(file -> file.toString().endsWith("-all.jar")).findFirst().orElseThrow();

      var end = run(List.of(old.toString(), "-jar", jar.toString()), Map.of());

      assertThat(end.code()).isEqualTo(1);
      assertThat(end.output().lines()).hasSize(1);
      assertThat(end.output()).startsWith("Holdfast needs Java 25 or newer");
    }
  }

  @Test
  void arguments_and_links_survive() throws Exception {
    var link = Files.createSymbolicLink(folder.resolve("link"), script());

    var end = run(List.of(link.toString(), "--version"), Map.of("JAVA_HOME", JAVA_HOME));

    assertThat(end.code()).isZero();
    assertThat(end.output()).startsWith("holdfast ");
  }

  private static Path script() {
    return Folders.installation().resolve("bin/holdfast");
  }

  private Path copyNeeding(String version) throws IOException {
    var copy = Files.createDirectories(folder.resolve("copy/bin")).resolve("holdfast");
    Files.writeString(copy, Files.readString(script()).replace("needed=25", "needed=" + version));
    copy.toFile().setExecutable(true);
    return copy;
  }

  private Path fakeJdk(String name, String version) throws IOException {
    var home = folder.resolve(name);
    var java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s' \"started by ${0%/bin/java}\"\n");
    java.toFile().setExecutable(true);
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"%s\"\n".formatted(version));
    return home;
  }

  private static Path olderJava() throws IOException {
    var places = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(places)) {
      return null;
    }
    try (var jdks = Files.list(places)) {
      return jdks.filter(jdk -> jdk.toString().matches(".*\\b(8|11|17|21)\\b.*"))
          .map(jdk -> jdk.resolve("bin/java"))
          .filter(Files::isExecutable)
          .findFirst()
          .orElse(null);
    }
  }

  private static End start(Path script, Map<String, String> environment) throws Exception {
    return run(List.of(script.toString()), environment);
  }

  private static End run(List<String> command, Map<String, String> environment) throws Exception {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "HOME", "/nowhere"));
    builder.environment().putAll(environment);
    var process = builder.start();
    var output = new String(process.getInputStream().readAllBytes());
    return new End(process.waitFor(), output);
  }

  private record End(int code, String output) {}
}
