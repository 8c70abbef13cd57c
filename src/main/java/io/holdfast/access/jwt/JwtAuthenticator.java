package io.holdfast.access.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.holdfast.access.AuthResult;
import io.holdfast.access.AuthResult.InvalidJwt;
import io.holdfast.access.AuthResult.JwksUnavailable;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.Caller;
import io.holdfast.access.Scope;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/// Authenticates people by JWTs of their identity provider: first the algorithm, then the
/// signature, then the claims. Only asymmetric signatures are accepted: with a shared secret,
/// anybody who knows the public key could sign.
@Singleton
public final class JwtAuthenticator {
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /// A token of any other type was signed for another purpose.
  private static final Set<JOSEObjectType> TYPES =
      Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"));

  /// How far the clock of the identity provider may be from ours.
  private static final Duration LEEWAY = Duration.ofSeconds(30);

  private final JwtSettings settings;
  private final SigningKeys keys;
  private final Clock clock;
  private final ExecutorService executor;
  private final DefaultJWSVerifierFactory verifiers = new DefaultJWSVerifierFactory();

  JwtAuthenticator(
      JwtSettings settings,
      SigningKeys keys,
      Clock clock,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.settings = settings;
    this.keys = keys;
    this.clock = clock;
    this.executor = executor;
  }

  /// Whether JWTs are accepted and the text looks like one: three parts, the first of them JSON.
  public boolean accepts(String text) {
    return keys.areConfigured()
        && text.startsWith("eyJ")
        && text.chars().filter(c -> c == '.').count() == 2;
  }

  /// Runs off the event loop, because an unknown key makes it wait for the identity provider.
  public CompletionStage<AuthResult> authenticate(String text) {
    return CompletableFuture.supplyAsync(() -> verify(text), executor);
  }

  private AuthResult verify(String text) {
    var jwt = parse(text);
    if (jwt == null) {
      return new InvalidJwt("The token is no JWT that this service takes.");
    }
    List<JWK> candidates;
    try {
      candidates = keys.find(jwt.getHeader());
    } catch (KeySourceException e) {
      return new JwksUnavailable();
    }
    if (candidates.stream().noneMatch(key -> isSignedBy(key, jwt))) {
      return new InvalidJwt("The token is not signed by a key that this service knows.");
    }
    try {
      return verify(jwt.getJWTClaimsSet());
    } catch (ParseException e) {
      return new InvalidJwt("The claims of the token cannot be read.");
    }
  }

  /// Null if the text is no JWT, or one of an algorithm or type that is not accepted.
  private static @Nullable SignedJWT parse(String text) {
    try {
      var jwt = SignedJWT.parse(text);
      var type = jwt.getHeader().getType();
      var isAccepted =
          ALGORITHMS.contains(jwt.getHeader().getAlgorithm())
              && (type == null || TYPES.contains(type));
      return isAccepted ? jwt : null;
    } catch (ParseException | IllegalArgumentException e) {
      return null;
    }
  }

  /// A key that does not fit the algorithm cannot have signed the JWT.
  private boolean isSignedBy(JWK key, SignedJWT jwt) {
    try {
      return key instanceof AsymmetricJWK pair
          && jwt.verify(verifiers.createJWSVerifier(jwt.getHeader(), pair.toPublicKey()));
    } catch (JOSEException e) {
      return false;
    }
  }

  private AuthResult verify(JWTClaimsSet claims) {
    var now = clock.instant();
    if (!isAfter(claims.getExpirationTime(), now.minus(LEEWAY))) {
      return new InvalidJwt("The token has expired, or does not say when it does.");
    }
    if (isAfter(claims.getNotBeforeTime(), now.plus(LEEWAY))) {
      return new InvalidJwt("The token is not valid yet.");
    }
    if (settings.issuer().isPresent() && !settings.issuer().get().equals(claims.getIssuer())) {
      return new InvalidJwt("The token is of another issuer.");
    }
    if (settings.audience().isPresent()
        && !claims.getAudience().contains(settings.audience().get())) {
      return new InvalidJwt("The token is for another audience.");
    }
    if (!isRequester(claims.getSubject())) {
      return new InvalidJwt("The token names no subject that could be a requester.");
    }
    return new Known(caller(claims));
  }

  private static boolean isAfter(@Nullable Date date, Instant moment) {
    return date != null && date.toInstant().isAfter(moment);
  }

  private static boolean isRequester(@Nullable String subject) {
    try {
      return subject != null && !JsonFields.of(Map.of("sub", subject)).text("sub").isEmpty();
    } catch (InvalidField e) {
      return false;
    }
  }

  /// Scopes that are not ours are ignored.
  private static Caller caller(JWTClaimsSet claims) {
    var subject = claims.getSubject();
    var scopes = EnumSet.noneOf(Scope.class);
    for (var name : List.of("scope", "scp")) {
      words(claims.getClaim(name)).forEach(word -> Scope.of(word).ifPresent(scopes::add));
    }
    return new Caller(Caller.nameOf(subject), scopes, subject);
  }

  private static List<String> words(@Nullable Object claim) {
    return switch (claim) {
      case String text -> List.of(text.split(" "));
      case Collection<?> all -> all.stream().map(String::valueOf).toList();
      case null, default -> List.of();
    };
  }
}
