import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Deals the entries of the shaded jar out to the jars that Gradle's launcher looks for. */
final class Split {
  static final String THIRD_PARTY = "gradle-third-party";
  static final String TEST_LIBRARIES = "gradle-test-libraries";
  static final String ANT = "ant";

  /** A module has a file with this suffix that names the modules and libraries it needs. */
  static final String NEEDS = "-classpath.properties";

  private static final String GRADLE_ENTRIES =
      "(org/gradle/|org/slf4j/impl/|META-INF/gradle).*|.+\\.kotlin_module|[^/]+(?<!\\.class)";

  /** Groovy and ASM come as newer jars of their own. */
  private static final String UNUSED_ENTRIES =
      "(META-INF/(?!native/)|groovy|org/(codehaus/groovy|apache/groovy|objectweb/asm)/).*";

  private final Jars jars;
  private final Map<String, String> services = new TreeMap<>();
  private Map<String, byte[]> module = new LinkedHashMap<>();
  private boolean moduleComplete;

  Split(Jars jars) {
    this.jars = jars;
  }

  void add(ShadedJar.Entry entry) {
    String name = entry.name();
    if (name.startsWith(ShadedJar.SERVICES)) {
      services.put(name, new String(entry.content(), UTF_8));
    } else if (!entry.ofLibrary() && name.matches(GRADLE_ENTRIES)) {
      addToModule(name, entry.content());
    } else if (!name.matches(UNUSED_ENTRIES)) {
      jars.get(libraryOf(name)).putIfAbsent(name, entry.content());
    }
  }

  /** Ant and the test frameworks stay apart, because Gradle loads them apart from the rest. */
  static String libraryOf(String name) {
    if (name.matches("(org/apache/tools/|ant-).*")) {
      return ANT;
    }
    String test = "((org/)?(junit|testng|hamcrest|opentest4j)|com/beust/|jcommander|bsh).*";
    return name.matches(test) ? TEST_LIBRARIES : THIRD_PARTY;
  }

  /**
   * The shaded jar keeps the order of the modules: the classes of one, then the file with its name
   * and needs, then perhaps more resources.
   */
  private void addToModule(String name, byte[] content) {
    boolean needs = name.startsWith("gradle-") && name.endsWith(NEEDS);
    if (moduleComplete && (needs || name.endsWith(".class"))) {
      module = new LinkedHashMap<>();
      moduleComplete = false;
    }
    module.put(name, content);
    if (needs) {
      jars.put(name.replace(NEEDS, ""), module);
      moduleComplete = true;
    }
  }

  /** The shaded jar has one list of providers for all modules: each belongs next to its class. */
  void complete() {
    services.forEach(
        (service, providers) -> {
          // Services of the JDK are left to the JDK.
          if (!service.startsWith(ShadedJar.SERVICES + "java")) {
            for (String line : providers.split("\n")) {
              jars.addProvider(service, line.replaceAll("#.*", "").trim());
            }
          }
        });
  }
}
