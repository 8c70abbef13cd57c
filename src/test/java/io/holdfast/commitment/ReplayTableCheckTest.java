package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Folders;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The service does not sell on a table that cannot prevent replays.
@ExtendWith(RealServers.class)
class ReplayTableCheckTest {
  private static final String CHOSEN = "consumed_request";

  private final TestServers servers;
  private final TestSchema schema;

  ReplayTableCheckTest(TestServers servers) {
    this.servers = servers;
    this.schema = new TestSchema(servers);
  }

  @BeforeEach
  void renew() {
    servers.renewDatabase();
  }

  @Requirement({
    "RS-SF-a", "RS-SF-b", "RS-SF-c", "RS-SF-e", "RS-SF-f", "RS-SF-g", "RS-SF-h", "RS-UF-2"
  })
  @Test
  void the_table_of_the_migrations_has_all_properties() {
    assertThatCode(() -> refuseUnfit(CHOSEN)).doesNotThrowAnyException();
  }

  @Requirement({"RP-10", "RS-UF-1", "RS-UF-2", "RS-MN-2", "RS-MN-3", "RS-LY-1"})
  @Test
  void rp_10_an_attempt_ledger_is_refused_as_the_store() throws SQLException {
    schema.execute(
        """
        CREATE TABLE iu_route_attempt (
            idempotency_key text NOT NULL,
            attempt_no      int  NOT NULL DEFAULT 1 CHECK (attempt_no >= 1),
            route_kind      text NOT NULL CHECK (route_kind IN ('inbound', 'outbound')),
            status          text NOT NULL,
            UNIQUE (idempotency_key, attempt_no));
        GRANT SELECT, INSERT ON iu_route_attempt TO holdfast_service
        """);

    assertThatThrownBy(() -> refuseUnfit("iu_route_attempt"))
        .isInstanceOf(StartFailure.class)
        .message()
        .startsWith("REPLAY_SURFACE_NOT_FIT: the table iu_route_attempt does not show that (a)")
        .contains("(b)", "(c)", "(d)", "(e)", "(g)", "(h)")
        .matches("[^\\r\\n]+\\.");
    schema.execute(
        "INSERT INTO iu_route_attempt VALUES ('k', 1, 'inbound', 'sent'), ('k', 2, 'inbound',"
            + " 'sent')");
  }

  @Requirement({"RS-MN-2", "RS-SF-a", "RS-SF-b", "RS-SF-c", "RS-SF-e", "RS-SF-h"})
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          (a) | ALTER TABLE consumed_request DROP CONSTRAINT consumed_request_replay_key_once
          (a) | ALTER TABLE consumed_request ADD COLUMN attempt_no int DEFAULT 1, ADD UNIQUE (logical_key, attempt_no)
          (b) | ALTER TABLE consumed_request ALTER COLUMN artifact_hash DROP NOT NULL
          (c) | ALTER TABLE consumed_request DROP CONSTRAINT consumed_request_operation_known
          (d) | ALTER TABLE consumed_request SET UNLOGGED
          (d) | DROP INDEX commitment_one_live_per_item
          (e) | GRANT UPDATE (order_id) ON consumed_request TO holdfast_service
          (e) | GRANT INSERT ON consumed_request TO PUBLIC
          (e) | ALTER TABLE consumed_request DISABLE TRIGGER consumed_request_is_append_only
          (f) | GRANT DELETE ON attempt TO holdfast_service
          (g) | ALTER TABLE consumed_request ALTER COLUMN order_id DROP NOT NULL
          (h) | DROP TRIGGER consumed_request_is_append_only ON consumed_request
          """)
  void a_property_that_the_table_lacks_is_named(String proof, String change) throws SQLException {
    schema.execute(change);

    assertThat(missing(CHOSEN)).anyMatch(missing -> missing.startsWith(proof));
  }

  /// The evaluation is that of the decision. Its verdicts are checked with the proofs of the start.
  @Requirement("RS-MN-4")
  @Test
  void every_table_keyed_by_requests_is_evaluated_and_only_the_chosen_one_fits() throws Exception {
    var evaluated = evaluatedTables();
    assertThat(evaluated).contains("token_result", "request_result").doesNotContain(CHOSEN);
    assertThat(keyedByRequests()).contains(CHOSEN).isSubsetOf(and(evaluated, CHOSEN));

    schema.execute("CREATE TABLE second_ledger (idempotency_key text PRIMARY KEY)");

    assertThat(keyedByRequests()).contains("second_ledger");
    assertThat(evaluated).allSatisfy(table -> assertThat(missing(table)).as(table).isNotEmpty());
    assertThat(missing(CHOSEN)).isEmpty();
  }

  private static List<String> evaluatedTables() throws IOException {
    var decision = Folders.project().resolve("docs/decisions/0017-consumed-keys-and-nonces.md");
    return Pattern.compile("(?m)^\\| `(\\w+)` \\|")
        .matcher(Files.readString(decision))
        .results()
        .map(row -> row.group(1))
        .toList();
  }

  private static List<String> and(List<String> tables, String one) {
    return Stream.concat(tables.stream(), Stream.of(one)).toList();
  }

  /// The tables that a unique key keeps one row for each request.
  private List<String> keyedByRequests() {
    return Rows.of(servers)
        .texts(
            """
            SELECT DISTINCT c.relname
              FROM pg_index i
              JOIN pg_class c ON c.oid = i.indrelid
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
             WHERE i.indisunique
               AND NOT c.relispartition
               AND c.relnamespace = current_schema()::regnamespace
               AND a.attname ~ '(token|logical|replay|request|idempotency|attempt)'
            """);
  }

  private void refuseUnfit(String table) {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      new ReplayTableCheck(link.transactions()).refuseUnfit(table);
    }
  }

  private List<String> missing(String table) {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      return link.transactions().read(c -> ReplayTableCheck.missing(c, table));
    }
  }
}
