import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Makes an installation of Gradle 8.8 of the jars that pom.xml lists, unless there is one already.
 *
 * <p>Usage: java GradleFromCentral [directory of pom.xml] [installation directory]
 */
final class GradleFromCentral {
  private static final String FETCH =
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath";

  /** Of the names and contents of all jars, in the order of their names. */
  private static final String SHA256 =
      "378571ffb55964f6a2b20a44ab2aaf3816134adc02c4433e14b80483637ff706";

  private static final String LIST = "jars.txt";

  private final Path source;
  private final Path target;

  /** Where the installation grows: it gets its name only when it is complete. */
  private final Path part;

  private GradleFromCentral(Path source, Path target) {
    this.source = source;
    this.target = target;
    this.part = Path.of(target + ".part");
  }

  public static void main(String[] args) throws Exception {
    Path target = Path.of(args[1]).toAbsolutePath();
    try {
      new GradleFromCentral(Path.of(args[0]), target).assembleOnce();
    } catch (Refusal e) {
      say(e.getMessage());
      System.exit(1);
    } catch (IOException e) {
      say("Gradle cannot be written to " + target + ": make room for it and start again: " + e);
      System.exit(1);
    }
  }

  private void assembleOnce() throws Exception {
    Files.createDirectories(target.getParent());
    Path lockFile = Path.of(target + ".lock");
    // A process that ends in whatever way loses its lock.
    try (var channel =
        FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (channel.tryLock() == null) {
        say("another start is assembling Gradle, this one waits for it.");
        channel.lock();
      }
      if (Files.notExists(target)) {
        assemble();
      }
    }
  }

  private void assemble() throws Exception {
    delete(part); // An interrupted start may have left it behind.
    Files.createDirectories(part);
    List<Path> jars = fetch();
    verify(jars);
    say("writing Gradle to " + target + ".");
    new Installation(part).write(jars, source.resolve("init.gradle"));
    Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
  }

  private List<Path> fetch() throws Exception {
    Path log = part.resolve("maven.log");
    Path list = part.resolve(LIST);
    Process maven = startMaven(log, "-Dmdep.outputFile=" + list);
    say("Maven fetches up to 200 MB, once; " + log + " shows how far it is.");
    Runtime.getRuntime().addShutdownHook(new Thread(maven::destroy));
    if (maven.waitFor() != 0) {
      throw new Refusal(
          "Maven cannot fetch the parts of Gradle: check the network, or the mirrors in Maven's"
              + " settings.xml, and start again: "
              + firstError(log));
    }
    return Stream.of(Files.readString(list).trim().split(File.pathSeparator))
        .map(Path::of)
        .sorted(Comparator.comparing(Path::getFileName))
        .toList();
  }

  private Process startMaven(Path log, String option) {
    String pom = source.resolve("pom.xml").toString();
    try {
      return new ProcessBuilder("mvn", "-B", "-f", pom, option, FETCH)
          .redirectErrorStream(true)
          .redirectOutput(log.toFile())
          .start();
    } catch (IOException e) {
      throw new Refusal(
          "there is no Maven on the PATH to fetch Gradle with: install Maven 3.6.3 or newer, or get"
              + " access to the distributionUrl in gradle/wrapper/gradle-wrapper.properties.");
    }
  }

  private static String firstError(Path log) throws IOException {
    try (var lines = Files.lines(log)) {
      return lines.filter(line -> line.startsWith("[ERROR]")).findFirst().orElse("see " + log);
    }
  }

  private void verify(List<Path> jars) throws IOException, GeneralSecurityException {
    var digest = MessageDigest.getInstance("SHA-256");
    for (Path jar : jars) {
      digest.update(jar.getFileName().toString().getBytes(UTF_8));
      digest.update(Files.readAllBytes(jar));
    }
    String actual = HexFormat.of().formatHex(digest.digest());
    if (!actual.equals(SHA256)) {
      throw new Refusal(
          "the parts of Gradle are not those of Maven Central (their SHA-256 is "
              + actual
              + "): delete all files that "
              + part.resolve(LIST)
              + " names, and start again.");
    }
  }

  private static void say(String message) {
    System.err.println("gradlew: " + message);
  }

  private static void delete(Path path) throws IOException {
    if (Files.exists(path)) {
      try (var files = Files.walk(path)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** A reason that the user can do something about; its message is all there is to say. */
  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message);
    }
  }
}
