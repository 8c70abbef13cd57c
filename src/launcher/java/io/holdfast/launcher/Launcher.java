package io.holdfast.launcher;

import io.holdfast.app.Application;

/**
 * Starts the application from the single jar, or says in one sentence that Java is too old for it.
 *
 * <p>This class is compiled for Java 8, so that an old JVM can still run it. All others are not,
 * and an old JVM answers them with a stack trace that names class file versions.
 */
public final class Launcher {
  private static final int NEEDED = 25;

  private Launcher() {}

  public static void main(String[] args) throws Exception {
    String version = System.getProperty("java.specification.version");
    // Java 8 calls itself 1.8, Java 9 and all that follow are whole numbers.
    if (Double.parseDouble(version) < NEEDED) {
      System.err.printf(
          "Holdfast needs Java %d or newer and was started with Java %s (%s): "
              + "install a JDK %d and start this jar with the java command in its bin folder.%n",
          NEEDED, version, System.getProperty("java.home"), NEEDED);
      System.exit(1);
    }
    Application.main(args);
  }
}
