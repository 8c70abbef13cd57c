package io.holdfast.access.jwt;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Which JWTs are accepted.
///
/// @param jwks the URL or the file of the public keys; empty if no JWT is accepted
/// @param issuer the value that `iss` must have; empty if any is accepted
/// @param audience a value that `aud` must contain; empty if any is accepted
/// @param look the shortest time between two reads of the keys
public record JwtSettings(
    Optional<String> jwks, Optional<String> issuer, Optional<String> audience, Duration look) {
  /// The guard that limits how often the keys are read.
  public static final String READS_GUARD = "jwks-looks";

  private static final String JWKS = "holdfast.jwks";
  private static final String RULE =
      "must be a file, an https URL, or an http URL on this very machine";
  private static final Duration LOOK_MIN = Duration.ofMillis(100);
  private static final Duration LOOK_MAX = Duration.ofMinutes(10);
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  public JwtSettings {
    InvalidSetting.unlessBetween("holdfast.jwks-look", LOOK_MIN, LOOK_MAX, look);
    jwks.filter(JwtSettings::isUrl).ifPresent(JwtSettings::refuseUnsafe);
    if (jwks.isEmpty()) {
      issuer.ifPresent(value -> refuseAlone("holdfast.jwt-issuer", value));
      audience.ifPresent(value -> refuseAlone("holdfast.jwt-audience", value));
    }
  }

  public static JwtSettings of(Settings settings) {
    return new JwtSettings(
        settings.text(JWKS).map(String::strip),
        settings.text("holdfast.jwt-issuer"),
        settings.text("holdfast.jwt-audience"),
        settings.duration("holdfast.jwks-look", Duration.ofSeconds(5)));
  }

  boolean isJwksFile() {
    return jwks.isPresent() && !isUrl(jwks.get());
  }

  /// The URL of the keys, also where they are in a file.
  Optional<URL> jwksUrl() {
    return jwks.map(JwtSettings::toUrl);
  }

  private static URL toUrl(String jwks) {
    try {
      return (isUrl(jwks) ? URI.create(jwks) : Path.of(jwks).toUri()).toURL();
    } catch (MalformedURLException e) {
      throw new InvalidSetting(JWKS, RULE, jwks);
    }
  }

  private static boolean isUrl(String jwks) {
    return jwks.contains("://");
  }

  /// Keys that are read without TLS could be replaced on their way.
  private static void refuseUnsafe(String url) {
    try {
      var uri = URI.create(url);
      var isSafe =
          uri.getHost() != null
              && ("https".equals(uri.getScheme())
                  || "http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost()));
      if (isSafe) {
        return;
      }
    } catch (IllegalArgumentException e) {
      // refused below
    }
    throw new InvalidSetting(JWKS, RULE, url);
  }

  private static void refuseAlone(String setting, String value) {
    throw new InvalidSetting(setting, "needs holdfast.jwks beside it", value);
  }
}
