package io.holdfast.access.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.SignedJWT;
import io.holdfast.access.AuthResult;
import io.holdfast.access.AuthResult.InvalidJwt;
import io.holdfast.access.AuthResult.JwksUnavailable;
import jakarta.inject.Singleton;
import java.text.ParseException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Recognises people by the JWTs that their identity provider has signed. Only signatures by keys
/// with a public and a private half count: with those of one secret, whoever knows the public key
/// could sign.
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

  /// What is signed for another purpose is no access token.
  private static final Set<JOSEObjectType> TYPES =
      Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"));

  private static final String MALFORMED = "The token is no JWT that this service takes.";
  private static final String UNSIGNED =
      "The token is not signed by a key that this service knows.";

  private final Jwks keys;
  private final JwtClaims claims;
  private final DefaultJWSVerifierFactory verifiers = new DefaultJWSVerifierFactory();

  JwtAuthenticator(Jwks keys, JwtClaims claims) {
    this.keys = keys;
    this.claims = claims;
  }

  /// Whether this could be a JWT, and such ones count here: three parts, the first of them JSON.
  public boolean mayBe(String text) {
    return keys.areRead()
        && text.startsWith("eyJ")
        && text.chars().filter(c -> c == '.').count() == 2;
  }

  public CompletionStage<AuthResult> judge(String text) {
    var jwt = parsed(text);
    if (jwt == null) {
      return CompletableFuture.completedStage(new InvalidJwt(MALFORMED));
    }
    return keys.find(jwt.getHeader())
        .thenApply(
            found ->
                switch (found) {
                  case Jwks.Found.Away() -> new JwksUnavailable();
                  case Jwks.Found.Keys(var candidates) ->
                      isSignedByAny(jwt, candidates) ? claims.judge(jwt) : new InvalidJwt(UNSIGNED);
                });
  }

  /// Null if it is none of ours to judge. The algorithm is looked at before any key is.
  private static @Nullable SignedJWT parsed(String text) {
    try {
      var jwt = SignedJWT.parse(text);
      var type = jwt.getHeader().getType();
      var isOurs =
          ALGORITHMS.contains(jwt.getHeader().getAlgorithm())
              && (type == null || TYPES.contains(type));
      return isOurs ? jwt : null;
    } catch (ParseException | IllegalArgumentException e) {
      return null;
    }
  }

  private boolean isSignedByAny(SignedJWT jwt, List<JWK> candidates) {
    for (var key : candidates) {
      if (key instanceof AsymmetricJWK pair && isSignedBy(jwt, pair)) {
        return true;
      }
    }
    return false;
  }

  /// A key that does not fit the algorithm has not signed it.
  private boolean isSignedBy(SignedJWT jwt, AsymmetricJWK pair) {
    try {
      return jwt.verify(verifiers.createJWSVerifier(jwt.getHeader(), pair.toPublicKey()));
    } catch (JOSEException e) {
      return false;
    }
  }
}
