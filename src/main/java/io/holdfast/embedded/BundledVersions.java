package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/// The versions of the bundled servers. They are part of the folder names, so that a new version is
/// unpacked next to the old one.
final class BundledVersions {
  static final String POSTGRES = of("postgres");
  static final String REDIS = of("redis");

  private BundledVersions() {}

  private static String of(String server) {
    try (var in = BundledVersions.class.getResourceAsStream("/embedded.properties")) {
      var properties = new Properties();
      properties.load(in);
      return properties.getProperty(server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
