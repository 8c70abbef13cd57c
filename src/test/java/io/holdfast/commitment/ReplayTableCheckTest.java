package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The service does not sell on a table that cannot prevent replays.
@ExtendWith(RealServers.class)
class ReplayTableCheckTest {
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
    "RS-SF-a", "RS-SF-b", "RS-SF-c", "RS-SF-d", "RS-SF-e", "RS-SF-f", "RS-SF-g", "RS-SF-h",
    "RS-UF-2", "RS-MN-4"
  })
  @Test
  void the_table_of_the_migrations_has_all_properties() {
    assertThatCode(() -> refuseUnfit("consumed_request")).doesNotThrowAnyException();
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

  @Requirement({"RS-MN-2", "RS-SF-a", "RS-SF-b", "RS-SF-c", "RS-SF-d", "RS-SF-e", "RS-SF-h"})
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

    assertThat(missing()).anyMatch(missing -> missing.startsWith(proof));
  }

  private void refuseUnfit(String table) {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      new ReplayTableCheck(link.transactions()).refuseUnfit(table);
    }
  }

  private List<String> missing() {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      return link.transactions().read(c -> ReplayTableCheck.missing(c, "consumed_request"));
    }
  }
}
