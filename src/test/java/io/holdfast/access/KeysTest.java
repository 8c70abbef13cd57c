package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Keys are created and revoked once for each token, and no table contains a key.
@ExtendWith(RealServers.class)
class KeysTest {
  private static final String SHOP = "{\"caller\":\"shop\",\"scopes\":[\"hold\",\"commit\"]}";

  private static Keys keys;

  @BeforeAll
  static void find(Service service) {
    keys = new Keys(service.http());
  }

  @Test
  void a_new_key_works_at_once_for_its_caller() {
    var response = keys.make(TestServers.KEY, Keys.aToken(), SHOP);

    var made = Http.json(response);
    assertThat(response.statusCode()).isEqualTo(201);
    assertThat(made.path("key").asText()).matches("hf_[A-Za-z0-9_-]{43}");
    assertThat(made.path("caller").asText()).isEqualTo("shop");
    assertThat(made.path("scopes")).extracting(s -> s.asText()).containsExactly("hold", "commit");
    assertThat(keys.hold(made.path("key").asText()).body()).startsWith("shop on ");
  }

  @Test
  void the_same_token_gets_the_same_key_and_no_second_one(TestServers servers) throws SQLException {
    var token = Keys.aToken();
    var first = keys.make(TestServers.KEY, token, SHOP);
    var count = count(servers);

    var again =
        keys.make(
            TestServers.KEY,
            '"' + token + '"',
            "{\"scopes\":[\"hold\",\"commit\"]," + " \"attemptId\":\"2\", \"caller\":\"shop\"}");

    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(count(servers)).isEqualTo(count);
  }

  @Test
  void the_same_token_for_another_key_is_a_collision() {
    var token = Keys.aToken();
    keys.make(TestServers.KEY, token, SHOP);

    var other = keys.make(TestServers.KEY, token, SHOP.replace("shop", "till"));

    assertThat(other.statusCode()).isEqualTo(422);
    assertThat(Http.json(other).path("code").asText()).isEqualTo("token-collision");
  }

  @Test
  void two_tokens_get_two_keys() {
    assertThat(keys.made("shop", "hold").key()).isNotEqualTo(keys.made("shop", "hold").key());
  }

  @Test
  void neither_the_key_nor_the_token_is_in_the_database(TestServers servers) throws SQLException {
    var token = "a-token-that-nobody-may-find";
    var key = Http.json(keys.make(TestServers.KEY, token, SHOP)).path("key").asText();

    var all = dump(servers);

    assertThat(all).contains("shop");
    assertThat(all)
        .doesNotContain(key, key.substring(3), hex(key), hex(key.substring(3)))
        .doesNotContain(token, hex(token));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                         | caller
          {"caller":"a shop","scopes":["hold"]}                      | caller
          {"caller":"shop"}                                          | scopes
          {"caller":"shop","scopes":[]}                              | scopes
          {"caller":"shop","scopes":["root"]}                        | scopes
          {"caller":"shop","scopes":["hold","hold"]}                 | scopes[1]
          {"caller":"shop","scopes":["hold"],"validSeconds":60}      | validSeconds
          """)
  void a_wish_that_makes_no_sense_is_refused_once_and_for_all(String body, String field) {
    var token = Keys.aToken();

    var first = keys.make(TestServers.KEY, token, body);
    var again = keys.make(TestServers.KEY, token, body);

    assertThat(first.statusCode()).isEqualTo(400);
    assertThat(Http.json(first).path("field").asText()).isEqualTo(field);
    assertThat(first.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
  }

  @Test
  void a_body_that_cannot_be_read_is_refused_and_not_stored() {
    var token = Keys.aToken();

    var refused = keys.make(TestServers.KEY, token, "{\"caller\":\"a\",\"caller\":\"b\"}");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(Http.json(refused).path("code").asText()).isEqualTo("invalid-request");
    assertThat(keys.make(TestServers.KEY, token, SHOP).statusCode()).isEqualTo(201);
  }

  @Test
  void a_call_without_a_token_is_refused() {
    var response =
        Http.post(keys.door(), "/v1/keys", SHOP, "Authorization", Keys.bearer(TestServers.KEY));

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(Http.json(response).path("field").asText()).isEqualTo("Idempotency-Key");
  }

  @Test
  void a_key_cannot_grant_a_scope_that_it_lacks() {
    var operator = keys.made("shop", "operate", "hold");

    var refused = keys.make(operator.key(), Keys.aToken(), SHOP);

    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(Http.json(refused).path("detail").asText()).contains("commit");
    assertThat(
            keys.make(operator.key(), Keys.aToken(), SHOP.replace(",\"commit\"", "")).statusCode())
        .isEqualTo(201);
  }

  @Test
  void a_revoked_key_is_refused_at_once_and_stays_so() {
    var made = keys.made("shop", "hold");
    var other = keys.made("shop", "hold");
    var token = Keys.aToken();

    var revoked = keys.revoke(token, made.id());

    assertThat(revoked.statusCode()).isEqualTo(200);
    assertThat(revoked.body()).isEqualTo("{\"id\":\"%s\",\"revoked\":true}".formatted(made.id()));
    assertThat(keys.hold(made.key()).statusCode()).isEqualTo(401);
    assertThat(keys.hold(other.key()).statusCode()).isEqualTo(200);
    assertThat(keys.revoke(token, made.id()).headers().firstValue("Idempotent-Replayed"))
        .hasValue("true");
    assertThat(keys.revoke(Keys.aToken(), made.id()).statusCode()).isEqualTo(200);
    assertThat(keys.revoke(token, other.id()).statusCode()).isEqualTo(422);
  }

  @ParameterizedTest
  @CsvSource({"999999", "nonsense", "-1", "99999999999999999999999"})
  void a_key_that_is_not_there_cannot_be_revoked(String id) {
    var response = keys.revoke(Keys.aToken(), id);

    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(Http.json(response).path("code").asText()).isEqualTo("not-known");
  }

  private static long count(TestServers servers) throws SQLException {
    return Long.parseLong(text(servers, "SELECT count(*)::text FROM api_key"));
  }

  private static String dump(TestServers servers) throws SQLException {
    return text(servers, "SELECT string_agg(k::text, ' ') FROM api_key k")
        + text(servers, "SELECT string_agg(r::text, ' ') FROM request_result r");
  }

  private static String text(TestServers servers, String query) throws SQLException {
    try (var connection = servers.connection();
        var rows = connection.createStatement().executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static String hex(String text) {
    return java.util.HexFormat.of().formatHex(text.getBytes());
  }
}
