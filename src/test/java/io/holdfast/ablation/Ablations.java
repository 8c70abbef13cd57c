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

/// `./gradlew ablations`: takes one safeguard after the other out of a copy of its source, runs the
/// tests that must notice on it, and fails if none does. Before that, the same tests have to pass
/// on the code as it is.
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
      throw new IllegalStateException("the tests do not pass as it is: " + whole);
    }
    var rows = new ArrayList<String>();
    var unnoticed = new ArrayList<String>();
    for (var ablation : chosen) {
      var end = run(patched(ablation), ablation.tests());
      var isNoticed = end.exit == NOTICED && !end.failed.isEmpty();
      rows.add(
          "| %s | %s |"
              .formatted(ablation.name(), isNoticed ? String.join(", ", end.failed) : "NOBODY"));
      System.out.println(rows.getLast());
      if (!isNoticed) {
        unnoticed.add(ablation.name());
      }
    }
    System.out.println("\n| taken out | noticed by |\n|---|---|\n" + String.join("\n", rows));
    if (!unnoticed.isEmpty()) {
      throw new IllegalStateException("nobody noticed that these were gone: " + unnoticed);
    }
  }

  private static Path folder(String name) {
    return Folders.build().resolve("ablations").resolve(name.replaceAll("[^a-z]+", "-"));
  }

  /// What stands before the classes of the service: those that were cut.
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
          "this stands not exactly once in %s, so mend the catalogue: %s"
              .formatted(cut.file(), cut.text()));
    }
    Files.createDirectories(copy.getParent());
    return Files.writeString(copy, text.replace(cut.text(), cut.instead()));
  }

  /// Only what was cut: all others, and what the annotation processors have made, are as they were.
  private static void compile(List<Path> sources, Path classes) throws IOException {
    if (sources.isEmpty()) {
      return;
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    var said = new StringWriter();
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
      if (!compiler.getTask(said, files, null, options, null, units).call()) {
        throw new IllegalStateException("what was cut does not compile: " + said);
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
    command.add("-Dholdfast.project=" + Folders.project());
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
    if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      return new End(-1, List.of());
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
