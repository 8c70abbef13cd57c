package io.holdfast.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The constraints of the tables `api_key` and `request_result`, independent of the code.
@ExtendWith(RealServers.class)
class AccessTablesTest {
  private static final String HASH = "sha256('x')";

  private static TestSchema schema;

  @BeforeAll
  static void migrate(TestServers servers) {
    schema = new TestSchema(servers);
    schema.migrate();
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'key'::bytea   | 'shop'   | ARRAY['hold']          | api_key_hash_is_sha256
          sha256('a')    | 'a shop' | ARRAY['hold']          | api_key_caller_form
          sha256('a')    | ''       | ARRAY['hold']          | api_key_caller_form
          sha256('a')    | 'shop'   | ARRAY['hold', 'root']  | api_key_scopes_known
          sha256('a')    | 'shop'   | ARRAY[]::text[]        | api_key_has_scopes
          """)
  void an_invalid_key_row_is_refused_by_a_named_constraint(
      String hash, String caller, String scopes, String rule) {
    var sql =
        "INSERT INTO api_key (hash, caller, scopes, created_by) VALUES (%s, %s, %s, 'x')"
            .formatted(hash, caller, scopes);

    assertThatThrownBy(() -> schema.execute(sql)).hasMessageContaining(rule);
  }

  @Test
  void a_key_may_have_every_scope() throws SQLException {
    schema.execute(
        "INSERT INTO api_key (hash, caller, scopes, created_by) VALUES (sha256('all'), 'shop',"
            + " ARRAY['hold', 'commit', 'operate', 'audit', 'admin'], 'x')");

    assertThat(schema.texts("SELECT cardinality(scopes) FROM api_key WHERE hash = sha256('all')"))
        .containsExactly("5");
  }

  @Test
  void a_key_has_one_caller() throws SQLException {
    var sql =
        "INSERT INTO api_key (hash, caller, scopes, created_by) VALUES (%s, '%s', '{hold}', 'x')";
    schema.execute(sql.formatted(HASH, "shop"));

    assertThatThrownBy(() -> schema.execute(sql.formatted(HASH, "till")))
        .hasMessageContaining("api_key_once");
  }

  @ParameterizedTest(name = "{4}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'place_hold' | sha256('a')   | NULL | NULL      | request_result_route_known
          'create_key' | 'token'       | NULL | NULL      | request_result_token_is_sha256
          'create_key' | sha256('a')   | 503  | 'x'       | request_result_status_form
          'create_key' | sha256('a')   | 201  | NULL      | request_result_is_whole
          """)
  void an_invalid_answer_row_is_refused_by_a_named_constraint(
      String route, String token, String status, String body, String rule) {
    assertThatThrownBy(() -> schema.execute(insert(route, token, status, body, "1 minute")))
        .hasMessageContaining(rule);
  }

  @Test
  void a_window_has_a_positive_length() {
    assertThatThrownBy(
            () -> schema.execute(insert("'create_key'", HASH, "NULL", "NULL", "0 minutes")))
        .hasMessageContaining("request_result_window_is_open");
  }

  @ParameterizedTest
  @EnumSource(IdempotentRouteCall.Route.class)
  void every_route_of_the_code_is_accepted_once_for_each_token(IdempotentRouteCall.Route route)
      throws SQLException {
    var sql = insert("'" + route.word() + "'", HASH, "200", "'x'", "1 minute");
    schema.execute(sql);

    assertThatThrownBy(() -> schema.execute(sql)).hasMessageContaining("request_result_key");
    assertThat(schema.texts("SELECT route FROM request_result")).contains(route.word());
  }

  private static String insert(
      String route, String token, String status, String body, String window) {
    return "INSERT INTO request_result VALUES"
        + List.of("'shop'", route, token, "'1:x'", "'1'", status, body, "now()")
            .toString()
            .replace('[', '(')
            .replace("]", ", now() + interval '" + window + "')");
  }
}
