package io.holdfast.access.jwt;

import static io.holdfast.access.Issuer.EC;
import static io.holdfast.access.Issuer.RSA;
import static io.holdfast.access.Issuer.claims;
import static io.holdfast.access.Issuer.signed;
import static io.holdfast.access.Issuer.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import io.holdfast.access.Issuer;
import io.holdfast.access.Keys;
import io.holdfast.app.Service;
import io.holdfast.config.InvalidSetting;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Reading the key set of JWTs, and its failures.
@ExtendWith(RealServers.class)
@Tag("slow")
class JwksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static TestServers servers;
  private static Issuer issuer;
  private static Service service;
  private static Keys keys;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    issuer = new Issuer();
    issuer.answerWith(500);
    service = started(issuer.url());
    keys = new Keys(service.http());
  }

  @AfterAll
  static void stop() {
    service.close();
    issuer.close();
  }

  @Test
  void without_the_key_set_an_unknown_jwt_gets_503_and_api_keys_work() {
    issuer.answerWith(500);
    var byAnother = Issuer.rsa("never-published");
    Await.until(PATIENCE, () -> hold(byAnother).statusCode() == 503);

    var answer = hold(byAnother);

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(Http.json(answer).get("definite").asBoolean()).isTrue();
    assertThat(keys.hold(TestServers.KEY).statusCode()).isEqualTo(200);
    issuer.answerWith(200);
    Await.until(PATIENCE, () -> hold(byAnother).statusCode() == 401);
    assertThat(keys.hold(token("ann", "hold")).statusCode()).isEqualTo(200);
  }

  @Test
  void keys_that_were_read_once_count_while_the_provider_is_away() {
    issuer.answerWith(200);
    Await.until(PATIENCE, () -> keys.hold(token("ann", "hold")).statusCode() == 200);

    issuer.answerWith(500);
    Await.until(PATIENCE, () -> hold(Issuer.rsa("never-published")).statusCode() == 503);

    assertThat(keys.hold(token("ann", "hold")).statusCode()).isEqualTo(200);
    issuer.answerWith(200);
  }

  @Test
  void an_answer_that_begins_and_does_not_go_on_is_given_up() {
    try (var stalling = new Issuer();
        var other = started(stalling.url())) {
      var door = new Keys(other.http());
      assertThat(door.hold(token("ann", "hold")).statusCode()).isEqualTo(200);
      var fresh = Issuer.rsa("rsa-4");
      var byFresh = signed(fresh, JWSAlgorithm.RS256, claims("ann", "hold").build());
      stalling.stall();

      Await.until(PATIENCE, () -> door.hold(byFresh).statusCode() == 503);

      stalling.publish(RSA, fresh);
      stalling.flow();
      Await.until(PATIENCE, () -> door.hold(byFresh).statusCode() == 200);
    }
  }

  @Test
  void a_new_key_is_accepted_and_a_withdrawn_key_is_dropped() {
    issuer.answerWith(200);
    Await.until(PATIENCE, () -> keys.hold(token("ann", "hold")).statusCode() == 200);
    var fresh = Issuer.rsa("rsa-2");

    issuer.publish(fresh, EC);

    Await.until(PATIENCE, () -> hold(fresh).statusCode() == 200);
    assertThat(keys.hold(token("ann", "hold")).statusCode()).isEqualTo(401);
    issuer.publish(RSA, EC);
    Await.until(PATIENCE, () -> keys.hold(token("ann", "hold")).statusCode() == 200);
  }

  @Test
  void unknown_key_ids_do_not_cause_a_read_each() {
    try (var patient = new Issuer();
        var other = started(patient.url(), "10m")) {
      var door = new Keys(other.http());
      assertThat(door.hold(token("ann", "hold")).statusCode()).isEqualTo(200);

      var answers =
          Together.run(
              20,
              i ->
                  door.hold(
                      signed(
                          Issuer.ec("invented-" + i),
                          JWSAlgorithm.ES256,
                          claims("ann", "hold").build())));

      assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(401);
      assertThat(patient.looks()).isEqualTo(1);
    }
  }

  @Test
  void keys_may_be_in_a_file_which_is_read_again_for_a_new_key(@TempDir Path folder)
      throws IOException {
    var file = folder.resolve("keys.json");
    Files.writeString(file, issuer.keys());
    try (var other = started(file.toString())) {
      var door = new Keys(other.http());
      assertThat(door.hold(token("ann", "hold")).statusCode()).isEqualTo(200);
      var fresh = Issuer.rsa("rsa-3");
      try (var later = new Issuer()) {
        later.publish(fresh);
        Files.writeString(file, later.keys());
      }

      var token = signed(fresh, JWSAlgorithm.RS256, claims("ann", "hold").build());

      Await.until(PATIENCE, () -> door.hold(token).statusCode() == 200);
    }
  }

  @Test
  void a_file_that_is_no_set_of_keys_ends_the_start(@TempDir Path folder) throws IOException {
    var file = Files.writeString(folder.resolve("keys.json"), "{\"keys\":1}");

    assertThatThrownBy(() -> started(file.toString()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("mend HOLDFAST_JWKS")
        .message()
        .matches("[^\\r\\n]+");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          http://id.example.com/keys, , must be a file
          ftp://id.example.com/keys,  , must be a file
          https://,                   , must be a file
          ,                           https://id.example.com, needs holdfast.jwks
          """)
  void settings_that_make_no_sense_are_refused(String jwks, String from, String sentence) {
    var second = Duration.ofSeconds(1);

    assertThatThrownBy(
            () ->
                new JwtSettings(
                    Optional.ofNullable(jwks), Optional.ofNullable(from), Optional.empty(), second))
        .isInstanceOf(InvalidSetting.class)
        .hasMessageContaining(sentence);
  }

  private static HttpResponse<String> hold(RSAKey key) {
    return keys.hold(signed(key, JWSAlgorithm.RS256, claims("ann", "hold").build()));
  }

  private static Service started(String jwks) {
    return started(jwks, "100ms");
  }

  private static Service started(String jwks, String look) {
    return RealServers.start(servers, Map.of("holdfast.jwks", jwks, "holdfast.jwks-look", look));
  }
}
