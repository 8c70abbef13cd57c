package io.holdfast.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/// The version, which the build writes into a resource.
final class Version {
  static final String CURRENT = read();

  private Version() {}

  private static String read() {
    try (var in = Version.class.getResourceAsStream("/version.properties")) {
      var properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
