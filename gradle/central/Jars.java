import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The jars to write, by their names without version, each with its entries and their contents. */
final class Jars {
  /** Follows the name of each of these jars; Gradle looks for its modules with this version. */
  static final String SUFFIX = "-8.8.jar";

  private final Map<String, Map<String, byte[]>> entries = new LinkedHashMap<>();
  private final Map<String, String> classPaths = new HashMap<>();

  /** Returns the entries of a jar, which exists from now on if it did not before. */
  Map<String, byte[]> get(String jar) {
    return entries.computeIfAbsent(jar, name -> new LinkedHashMap<>());
  }

  boolean contains(String jar) {
    return entries.containsKey(jar);
  }

  List<String> names() {
    return List.copyOf(entries.keySet());
  }

  void put(String jar, Map<String, byte[]> content) {
    entries.put(jar, content);
  }

  /** Adds the name of a class to the list of a service, in the jar that has the class. */
  void addProvider(String service, String provider) {
    for (Map<String, byte[]> jar : entries.values()) {
      if (jar.containsKey(provider.replace('.', '/') + ".class")) {
        String others = new String(jar.getOrDefault(service, new byte[0]), UTF_8);
        jar.put(service, (others + provider + "\n").getBytes(UTF_8));
      }
    }
  }

  /** Whoever loads classes from the jar finds them in these files beside it, too. */
  void setClassPath(String jar, List<String> files) {
    get(jar);
    classPaths.put(jar, String.join(" ", files));
  }

  void writeTo(Path directory) throws IOException {
    for (String jar : names()) {
      write(jar, directory.resolve(jar + SUFFIX));
    }
  }

  private void write(String jar, Path file) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.CLASS_PATH, classPaths.getOrDefault(jar, ""));
    try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.setLevel(1); // The first start waits for this, and the disk space hardly matters.
      zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
      manifest.write(zip);
      for (var entry : get(jar).entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
    }
  }
}
