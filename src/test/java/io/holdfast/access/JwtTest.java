package io.holdfast.access;

import static io.holdfast.access.Issuer.EC;
import static io.holdfast.access.Issuer.RSA;
import static io.holdfast.access.Issuer.claims;
import static io.holdfast.access.Issuer.inSeconds;
import static io.holdfast.access.Issuer.signed;
import static io.holdfast.access.Issuer.token;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Which JWTs are accepted, and for which scopes.
@ExtendWith(RealServers.class)
class JwtTest {
  private static Issuer issuer;
  private static Service service;
  private static Keys keys;

  @BeforeAll
  static void start(TestServers servers) {
    issuer = new Issuer();
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.jwks", issuer.url(),
                "holdfast.jwt-issuer", "https://id.example.com",
                "holdfast.jwt-audience", "holdfast"));
    keys = new Keys(service.http());
  }

  @AfterAll
  static void stop() {
    service.close();
    issuer.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void a_good_one_is_let_in(String what, String token) {
    var answer = keys.hold(token);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  static Stream<Arguments> a_good_one_is_let_in() {
    return Stream.of(
        Arguments.of("RSA", signed(RSA, JWSAlgorithm.RS256, good())),
        Arguments.of("RSA-PSS", signed(RSA, JWSAlgorithm.PS384, good())),
        Arguments.of("an elliptic curve", signed(EC, JWSAlgorithm.ES256, good())),
        Arguments.of(
            "an access token by its type", signed(RSA, new JOSEObjectType("at+jwt"), good())),
        Arguments.of(
            "one of several audiences", rsa(ours().audience(List.of("shop", "holdfast")).build())),
        Arguments.of("words of others among its scopes", rsa(ours("openid hold profile").build())),
        Arguments.of(
            "scopes under another name", rsa(ours("").claim("scp", List.of("hold")).build())),
        Arguments.of(
            "expired within the leeway", rsa(ours().expirationTime(inSeconds(-5)).build())),
        Arguments.of("valid within the leeway", rsa(ours().notBeforeTime(inSeconds(5)).build())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void an_invalid_jwt_is_refused(String what, String token, String why) {
    var answer = keys.hold(token);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
    assertThat(Http.json(answer).get("code").asText()).isEqualTo("unauthenticated");
    assertThat(Http.json(answer).get("detail").asText()).contains(why);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
  }

  static Stream<Arguments> an_invalid_jwt_is_refused() throws JOSEException {
    var good = rsa(good());
    var parts = good.split("\\.");
    return Stream.of(
        Arguments.of("expired", rsa(ours().expirationTime(inSeconds(-60)).build()), "has expired"),
        Arguments.of("endless", rsa(ours().expirationTime(null).build()), "does not say when"),
        Arguments.of(
            "not valid yet", rsa(ours().notBeforeTime(inSeconds(60)).build()), "not valid yet"),
        Arguments.of("another issuer", rsa(ours().issuer("https://x").build()), "another issuer"),
        Arguments.of("no issuer", rsa(ours().issuer(null).build()), "another issuer"),
        Arguments.of("another audience", rsa(ours().audience("shop").build()), "another audience"),
        Arguments.of("nobody", rsa(ours().subject(null).build()), "no subject"),
        Arguments.of("no requester", rsa(ours().subject("a\tb").build()), "no subject"),
        Arguments.of(
            "a stranger's key of a known name",
            signed(Issuer.rsa("rsa-1"), JWSAlgorithm.RS256, good()),
            "not signed by"),
        Arguments.of(
            "a key of unknown name",
            signed(Issuer.ec("ec-9"), JWSAlgorithm.ES256, good()),
            "not signed by"),
        Arguments.of(
            "claims of another",
            parts[0]
                + "."
                + rsa(ours("hold commit operate").build()).split("\\.")[1]
                + "."
                + parts[2],
            "not signed by"),
        Arguments.of("a signature cut off", parts[0] + "." + parts[1] + ".", "no JWT"),
        Arguments.of("none", new PlainJWT(good()).serialize(), "no JWT"),
        Arguments.of(
            "none, with a signature", new PlainJWT(good()).serialize() + parts[2], "no JWT"),
        Arguments.of("the public key as a secret", byPublicKey(), "no JWT"),
        Arguments.of(
            "another type", signed(RSA, new JOSEObjectType("logout+jwt"), good()), "no JWT"),
        Arguments.of("no JSON", "eyJ.eyJ.eyJ", "no JWT"),
        Arguments.of("something else with two dots", "eyJ..", "no JWT"),
        Arguments.of("two parts", parts[0] + "." + parts[1], "valid key"));
  }

  @Test
  void without_the_scope_one_is_known_and_refused() {
    var answer = keys.hold(rsa(ours("commit openid").build()));

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(Http.json(answer).get("code").asText()).isEqualTo("forbidden");
    assertThat(keys.hold(rsa(ours("").build())).statusCode()).isEqualTo(403);
  }

  @Test
  void keys_go_on_beside_it() {
    assertThat(keys.hold(TestServers.KEY).statusCode()).isEqualTo(200);
    assertThat(keys.hold(keys.made("shop", "hold").key()).statusCode()).isEqualTo(200);
    assertThat(keys.hold("a-guess").statusCode()).isEqualTo(401);
  }

  @Test
  void where_no_jwt_counts_a_good_one_is_a_wrong_key(Service without) {
    HttpResponse<String> answer = new Keys(without.http()).hold(token("ann", "hold"));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(Http.json(answer).get("detail").asText()).contains("valid key");
  }

  private static JWTClaimsSet good() {
    return ours().build();
  }

  private static JWTClaimsSet.Builder ours() {
    return ours("hold");
  }

  private static JWTClaimsSet.Builder ours(String scope) {
    return claims("ann", scope).issuer("https://id.example.com").audience("holdfast");
  }

  private static String rsa(JWTClaimsSet claims) {
    return signed(RSA, JWSAlgorithm.RS256, claims);
  }

  /// A token signed with the public key as a shared secret (HS256).
  private static String byPublicKey() throws JOSEException {
    var header = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(RSA.getKeyID()).build();
    var jwt = new SignedJWT(header, good());
    jwt.sign(new MACSigner(RSA.toRSAPublicKey().getEncoded()));
    return jwt.serialize();
  }
}
