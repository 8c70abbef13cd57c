package io.holdfast.access.jwt;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.holdfast.access.AuthResult;
import io.holdfast.access.AuthResult.InvalidJwt;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.Caller;
import io.holdfast.access.Scope;
import io.holdfast.idempotency.Digest;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import jakarta.inject.Singleton;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a JWT says, after its signature was found good: for whom it is, from when until when, and
/// what may be done with it.
@Singleton
final class JwtClaims {
  /// How far the clock of the identity provider may be from ours.
  private static final Duration LEEWAY = Duration.ofSeconds(30);

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._@-]{1,60}");

  private final JwtSettings settings;
  private final Clock clock;

  JwtClaims(JwtSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  AuthResult judge(SignedJWT jwt) {
    try {
      var claims = jwt.getJWTClaimsSet();
      var fault = fault(claims);
      return fault == null ? new Known(caller(claims)) : new InvalidJwt(fault);
    } catch (ParseException e) {
      return new InvalidJwt("The claims of the token cannot be read.");
    }
  }

  private @Nullable String fault(JWTClaimsSet claims) {
    var now = clock.instant();
    if (!isLater(claims.getExpirationTime(), now.minus(LEEWAY))) {
      return "The token has expired, or does not say when it does.";
    }
    if (isLater(claims.getNotBeforeTime(), now.plus(LEEWAY))) {
      return "The token is not valid yet.";
    }
    if (settings.issuer().isPresent() && !settings.issuer().get().equals(claims.getIssuer())) {
      return "The token is of another issuer.";
    }
    if (settings.audience().isPresent()
        && !claims.getAudience().contains(settings.audience().get())) {
      return "The token is for another audience.";
    }
    return isRequester(claims.getSubject())
        ? null
        : "The token names no subject that could be a requester.";
  }

  private static boolean isRequester(@Nullable String subject) {
    try {
      return subject != null && !JsonFields.of(Map.of("sub", subject)).text("sub").isEmpty();
    } catch (InvalidField e) {
      return false;
    }
  }

  private static boolean isLater(@Nullable Date date, Instant moment) {
    return date != null && date.toInstant().isAfter(moment);
  }

  private static Caller caller(JWTClaimsSet claims) {
    var subject = claims.getSubject();
    var scopes = EnumSet.noneOf(Scope.class);
    for (var name : List.of("scope", "scp")) {
      words(claims.getClaim(name)).forEach(word -> Scope.of(word).ifPresent(scopes::add));
    }
    return new Caller(name(subject), scopes, subject);
  }

  /// Words that are not ours are somebody else's.
  private static List<String> words(@Nullable Object claim) {
    return switch (claim) {
      case String text -> List.of(text.split(" "));
      case Collection<?> all -> all.stream().map(String::valueOf).toList();
      case null, default -> List.of();
    };
  }

  /// No caller with a key has a tilde in its name, and no name has what divides names in Redis.
  private static String name(String subject) {
    return PLAIN.matcher(subject).matches() ? "~" + subject : "~#" + Digest.hash(subject);
  }
}
