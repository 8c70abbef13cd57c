package io.holdfast.commitment.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A nonce authorises one operation on one hold, is shown once, and is stored only as a hash.
@ExtendWith(RealServers.class)
class AuthorizationTest {
  private static final String PATH = "/v1/authorizations";

  private final Rows rows;
  private final Api api;
  private String holdId;

  AuthorizationTest(TestServers servers, Service service) {
    this.rows = Rows.of(servers);
    this.api = Api.of(service);
  }

  @BeforeEach
  void aHold() {
    holdId = api.hold(api.pool(1, "{\"requireNonce\":true}"), "anna", "A-1").id();
  }

  @Requirement({"RS-ID-4", "RS-ID-5"})
  @Test
  void a_nonce_is_bound_to_its_hold_its_operation_and_its_time() {
    var made = api.post(PATH, Api.token(), body("confirm", 60));

    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    var nonce = Http.json(made).get("nonce").asText();
    assertThat(nonce).matches("hn_[A-Za-z0-9_-]{43}");
    assertThat(Duration.between(Api.time(made, "notBefore"), Api.time(made, "notAfter")))
        .isEqualTo(Duration.ofSeconds(60));
    assertThat(
            rows.texts(
                "SELECT concat_ws(' ', hold_id, operation) FROM authorization_nonce WHERE"
                    + " nonce_hash = ?",
                AuthorizationNonces.hash(nonce)))
        .containsExactly(holdId + " confirm");
  }

  @Test
  void the_same_token_gets_the_same_nonce_and_no_table_contains_it() {
    var token = Api.token();
    var first = api.post(PATH, token, body("confirm", 60));

    var again = api.post(PATH, token, body("confirm", 60));

    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(rows.number("SELECT count(*) FROM authorization_nonce WHERE hold_id = ?", holdId))
        .isOne();
    var nonce = Http.json(first).get("nonce").asText();
    assertThat(
            rows.texts(
                "SELECT 1 FROM request_result WHERE position(?::bytea IN body) > 0",
                nonce.getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
        .isEmpty();
    assertThat(Api.code(api.post(PATH, token, body("compensate", 60))))
        .isEqualTo("token-collision");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          400 | {"holdId":"%s","operation":"steal"}
          400 | {"holdId":"%s","operation":"confirm","validSeconds":0}
          400 | {"holdId":"%s","operation":"confirm","validSeconds":86401}
          400 | {"holdId":"%s","operation":"confirm","more":1}
          400 | {"operation":"confirm"}
          404 | {"holdId":"nonsense","operation":"confirm"}
          404 | {"holdId":"nowhere~1~0123456789abcdef","operation":"confirm"}
          """)
  void what_makes_no_sense_is_refused(int status, String body) {
    var answer = api.post(PATH, Api.token(), body.replace("%s", holdId));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
  }

  @Test
  void only_operators_create_nonces() {
    var seller = api.as("seller", "hold", "commit");

    assertThat(seller.post(PATH, Api.token(), body("confirm", 60)).statusCode()).isEqualTo(403);
  }

  private String body(String operation, int seconds) {
    return "{\"holdId\":\"%s\",\"operation\":\"%s\",\"validSeconds\":%d}"
        .formatted(holdId, operation, seconds);
  }
}
