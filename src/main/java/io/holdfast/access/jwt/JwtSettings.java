package io.holdfast.access.jwt;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Whose JWTs count.
///
/// @param jwks where the public keys are: a URL, or a file; empty if no JWT counts
/// @param issuer what `iss` has to be; empty if anything will do
/// @param audience what has to be among `aud`; likewise
/// @param look how often at most the keys are read anew because of one that is not known
public record JwtSettings(
    Optional<String> jwks, Optional<String> issuer, Optional<String> audience, Duration look) {
  private static final String JWKS = "holdfast.jwks";
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

  static boolean isUrl(String jwks) {
    return jwks.contains("://");
  }

  /// Keys that come over an open line may be anybody's.
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
      // is told below
    }
    throw new InvalidSetting(
        JWKS, "must be a file, an https URL, or an http URL on this very machine", url);
  }

  private static void refuseAlone(String setting, String value) {
    throw new InvalidSetting(setting, "needs holdfast.jwks beside it", value);
  }
}
