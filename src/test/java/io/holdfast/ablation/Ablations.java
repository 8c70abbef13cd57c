package io.holdfast.ablation;

import io.holdfast.ablation.Ablation.Cut;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/// `./gradlew ablations`: removes one safeguard after the other from a copy of its source, runs its
/// tests on the copy, and fails if none of them fails. Before that, the same tests must pass on the
/// unchanged code.
final class Ablations {
  private static final String RESOURCES = "redis-scripts/";
  private static final int MINUTES_MAX = 10;
  private static final int CLEAN = 0;
  private static final int NOTICED = 1;

  private Ablations() {}

  public static void main(String[] wanted) throws IOException, InterruptedException {
    var chosen =
        Catalogue.all()
            .filter(a -> wanted.length == 0 || List.of(wanted).contains(a.name()))
            .toList();
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no safeguard of that name; there are "
              + Catalogue.all().map(Ablation::name).toList());
    }
    var tests = chosen.stream().flatMap(a -> a.tests().stream()).distinct().toList();
    var whole = run(Files.createDirectories(folder("nothing")), tests);
    if (whole.exit != CLEAN) {
      throw new IllegalStateException("the tests fail on the unchanged code: " + whole);
    }
    var rows = new ArrayList<String>();
    var unnoticed = new ArrayList<String>();
    for (var ablation : chosen) {
      var failed = failing(ablation, ablation.tests());
      rows.add(
          "| %s | %s |"
              .formatted(
                  ablation.name(), failed.isEmpty() ? "NO TEST" : String.join(", ", failed)));
      System.out.println(rows.getLast());
      if (failed.isEmpty()) {
        unnoticed.add(ablation.name());
      }
    }
    System.out.println(
        "\n| safeguard removed | failing tests |\n|---|---|\n" + String.join("\n", rows));
    if (!unnoticed.isEmpty()) {
      throw new IllegalStateException("no test failed without these safeguards: " + unnoticed);
    }
  }

  /// Removes the safeguard, runs these tests, and returns those that failed.
  static List<String> failing(Ablation ablation, List<String> tests)
      throws IOException, InterruptedException {
    var end = run(patched(ablation), tests);
    return end.exit == NOTICED ? end.failed : List.of();
  }

  private static Path folder(String name) {
    return Folders.build().resolve("ablations").resolve(name.replaceAll("[^a-z]+", "-"));
  }

  /// The folder of the changed classes, which precedes the service on the class path.
  private static Path patched(Ablation ablation) throws IOException {
    var folder = folder(ablation.name());
    delete(folder);
    var sources = new HashSet<Path>();
    for (var cut : ablation.cuts()) {
      var copy = folder.resolve(cut.file().startsWith(RESOURCES) ? "classes" : "source");
      sources.add(applied(cut, copy.resolve(cut.file())));
    }
    compile(
        sources.stream().filter(p -> p.toString().endsWith(".java")).toList(),
        Files.createDirectories(folder.resolve("classes")));
    return folder.resolve("classes");
  }

  private static Path applied(Cut cut, Path copy) throws IOException {
    var original = Files.exists(copy) ? copy : Folders.project().resolve(cut.file());
    var text = Files.readString(original);
    var at = text.indexOf(cut.text());
    if (at < 0 || text.indexOf(cut.text(), at + 1) >= 0) {
      throw new IllegalStateException(
          "this text must occur exactly once in %s; correct the catalogue: %s"
              .formatted(cut.file(), cut.text()));
    }
    Files.createDirectories(copy.getParent());
    return Files.writeString(copy, text.replace(cut.text(), cut.instead()));
  }

  /// Compiles only the changed files, without annotation processors; their output is unchanged.
  private static void compile(List<Path> sources, Path classes) throws IOException {
    if (sources.isEmpty()) {
      return;
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    var messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      var options =
          List.of(
              "-proc:none",
              "-parameters",
              "-d",
              classes.toString(),
              "-cp",
              System.getProperty("java.class.path"));
      var units = files.getJavaFileObjectsFromPaths(sources);
      if (!compiler.getTask(messages, files, null, options, null, units).call()) {
        throw new IllegalStateException("the changed files do not compile: " + messages);
      }
    }
  }

  private record End(int exit, List<String> failed) {}

  private static End run(Path classes, List<String> tests)
      throws IOException, InterruptedException {
    var output = classes.resolveSibling("output.txt");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseCompactObjectHeaders"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // it runs for seconds
    command.add("-Dholdfast.test.project=" + Folders.project());
    command.add("-D%s=%s%s".formatted(HoldfastProcess.ABLATED, classes, File.pathSeparator));
    command.addAll(
        List.of(
            "-cp",
            classes + File.pathSeparator + System.getProperty("java.class.path"),
            TestRun.class.getName()));
    command.addAll(tests);
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
        return new End(-1, List.of());
      }
    } finally { // also if a test of an ablation is interrupted, because its own time is over
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    try (var lines = Files.lines(output)) {
      var failed = lines.filter(l -> l.startsWith("FAILED ")).map(l -> l.substring(7));
      return new End(process.exitValue(), failed.distinct().toList());
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (var file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
