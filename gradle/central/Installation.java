import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes a directory that Gradle accepts as its installation. */
final class Installation {
  private final Path home;
  private final Jars jars = new Jars();

  /** The file names of the jars that are used as they are: Groovy, Kotlin and ASM. */
  private final List<String> libraries = new ArrayList<>();

  Installation(Path home) {
    this.home = home;
  }

  void write(List<Path> input, Path initScript) throws IOException {
    Path lib = home.resolve("lib");
    Files.createDirectories(lib.resolve("plugins")); // Gradle wants it, even if it is empty.
    for (Path file : input) {
      String name = file.getFileName().toString();
      if (name.startsWith("gradle-api")) {
        split(file);
      } else {
        libraries.add(name);
        Files.copy(file, lib.resolve(name));
      }
    }
    addStub("gradle-installation-beacon", "installation/beacon/InstallationBeacon");
    addStub("gradle-java-compiler-plugin", "compiler/java/IncrementalCompileTask");
    completeModules();
    jars.writeTo(lib);
    configure(initScript);
  }

  private void split(Path shaded) throws IOException {
    Split split = new Split(jars);
    ShadedJar.read(shaded, split::add);
    split.complete();
  }

  /** Adds a class that the shaded jar lacks, and that is compiled together with this one. */
  private void addStub(String module, String name) throws IOException {
    String entry = "org/gradle/internal/" + name + ".class";
    try (var content = ClassLoader.getSystemResourceAsStream(entry)) {
      jars.get(module).put(entry, content.readAllBytes());
    }
    setNeeds(module, "", "");
  }

  /** Makes what the modules say about their needs fit the jars of this installation. */
  private void completeModules() throws IOException {
    // Gradle insists on these modules, but is content to find them empty.
    for (String name :
        List.of(
            "build-profile", "instrumentation-agent", "kotlin-dsl-tooling-builders", "test-kit")) {
      setNeeds("gradle-" + name, "", "");
    }
    Map<String, String> modules = new TreeMap<>();
    Set<String> sought = new TreeSet<>();
    for (String name : jars.names()) {
      byte[] needs = jars.get(name).get(name + Split.NEEDS);
      if (needs != null) {
        Properties properties = new Properties();
        properties.load(new ByteArrayInputStream(needs));
        String runtime = properties.getProperty("runtime", "");
        modules.put(name, properties.getProperty("projects", ""));
        setNeeds(name, modules.get(name), runtime.isEmpty() ? "" : allLibraries());
        sought.addAll(List.of(runtime.split(",")));
      }
    }
    jars.get("gradle-launcher")
        .put("gradle-kotlin-dsl-versions.properties", "kotlin=1.9.22\n".getBytes(UTF_8));
    // There is no Kotlin DSL, but worker processes find the modules they share in its place.
    setNeeds("gradle-kotlin-dsl-provider-plugins", String.join(",", modules.keySet()), "");
    setClassPaths(modules.get("gradle-launcher").split(","), sought);
  }

  private void setNeeds(String module, String modules, String runtime) {
    String needs = "projects=" + modules + "\nruntime=" + runtime + "\n";
    jars.get(module).put(module + Split.NEEDS, needs.getBytes(UTF_8));
  }

  private String allLibraries() {
    List<String> files = new ArrayList<>();
    for (String jar : List.of(Split.THIRD_PARTY, Split.TEST_LIBRARIES, Split.ANT)) {
      files.add(jar + Jars.SUFFIX);
    }
    files.addAll(libraries);
    return String.join(",", files);
  }

  private void setClassPaths(String[] launcherModules, Set<String> sought) {
    List<String> launcher = new ArrayList<>();
    for (String module : launcherModules) {
      launcher.add(module + Jars.SUFFIX);
    }
    launcher.add(Split.THIRD_PARTY + Jars.SUFFIX);
    launcher.addAll(libraries);
    jars.setClassPath("gradle-launcher", launcher);
    jars.setClassPath(
        Split.THIRD_PARTY, libraries.stream().filter(file -> file.startsWith("asm")).toList());
    // Gradle asks for some libraries by their own names: those lead to the jar that has them.
    List<String> present = libraries.stream().map(Installation::withoutVersion).toList();
    for (String file : sought) {
      String name = withoutVersion(file);
      if (!name.isEmpty() && !present.contains(name) && !jars.contains(name)) {
        jars.setClassPath(name, List.of(Split.libraryOf(name) + Jars.SUFFIX));
      }
    }
  }

  private static String withoutVersion(String file) {
    return file.replaceAll("-\\d.*", "");
  }

  private void configure(Path initScript) throws IOException {
    // Without the agent, Gradle instruments the classes of a build before it loads them.
    Files.writeString(
        home.resolve("gradle.properties"), "org.gradle.internal.instrumentation.agent=false\n");
    Path scripts = Files.createDirectories(home.resolve("init.d"));
    Files.copy(initScript, scripts.resolve(initScript.getFileName()));
  }
}
