package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The constraints of the tables, independent of the code: plain SQL as the owner of the tables.
@ExtendWith(RealServers.class)
@Tag("slow")
class CommitmentTablesTest {
  private final TestServers servers;
  private SalesFixture shop;

  CommitmentTablesTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void oneSeatIsSoldAndAnotherClaimed() throws Exception {
    shop = SalesFixture.open(servers);
    try (var ledger = TestLedger.on(servers.jdbcUrl())) {
      var sold = shop.ask(shop.hold("A-1")).nonce(null).confirm();
      assertThat(ledger.confirm(sold)).isInstanceOf(Confirmed.class);
    }
    shop.rows()
        .change(
            """
            UPDATE item SET status = 'CLAIMED', fence = 5000000000, holder = 'h',
                            claim_until = now()
             WHERE item = 'A-2'
            """);
  }

  @AfterEach
  void nothingHasChanged() {
    assertThat(shop.count("commitment")).isOne();
  }

  @Requirement({"BR-T-12", "BR-F-4"})
  @Test
  void a_second_live_commitment_of_an_item_is_refused() {
    var second =
        """
        INSERT INTO commitment
        SELECT pool, item, 'other', fence + 1, caller, requester, 'o2', 'k2', price_cents, currency,
               committed_at FROM commitment
        """;

    refused(second, "commitment_one_live_per_item");
    assertThat(shop.rows().change(second + " ON CONFLICT DO NOTHING")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM commitment",
        "TRUNCATE commitment",
        "UPDATE commitment SET price_cents = 1",
        "UPDATE commitment SET requester = 'bert', voided_at = now()",
        "UPDATE commitment SET voided_at = NULL"
      })
  void a_commitment_cannot_be_changed(String sql) {
    refused(sql, "a commitment stays as it was made; it can be voided, once");
  }

  @Test
  void a_commitment_is_voided_once_and_its_seat_is_free_afterwards_at_its_fence() {
    refused("UPDATE item SET status = 'FREE', holder = NULL WHERE item = 'A-1'", "cannot go from");

    shop.rows().change("UPDATE commitment SET voided_at = now()");
    shop.rows().change("UPDATE item SET status = 'FREE', holder = NULL WHERE item = 'A-1'");

    refused("UPDATE commitment SET voided_at = now()", "voided, once");
    refused(
        """
        UPDATE item SET status = 'SOLD', holder = (SELECT hold_id FROM commitment)
         WHERE item = 'A-1'
        """,
        "cannot go from");
    assertThat(shop.rows().texts("SELECT version FROM item WHERE item = 'A-1'"))
        .containsExactly("2");
  }

  @Requirement({"BR-F-4", "BR-F-5", "BR-C-4"})
  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cannot fall | fence = 1 WHERE item = 'A-1'
          cannot fall | fence = 1 WHERE item = 'A-2'
          cannot go from | status = 'CLAIMED', claim_until = now() WHERE item = 'A-1'
          cannot go from | holder = 'other' WHERE item = 'A-1'
          keeps its price | price_cents = 1 WHERE item = 'A-1'
          keeps its price | price_cents = 1 WHERE item = 'A-2'
          item_holder_unless_free | status = 'BLOCKED', holder = 'h' WHERE item = 'A-3'
          cannot go from | status = 'BLOCKED', holder = NULL, claim_until = NULL WHERE item = 'A-2'
          cannot go from | holder = 'other' WHERE item = 'A-2'
          cannot go from | fence = fence + 1 WHERE item = 'A-2'
          cannot go from | status = 'SOLD', claim_until = NULL, holder = 'other' WHERE item = 'A-2'
          cannot go from | status = 'SOLD', claim_until = NULL, fence = fence + 1 WHERE item = 'A-2'
          cannot go from | fence = 1 WHERE item = 'A-3'
          cannot go from | status = 'SOLD', holder = 'h' WHERE item = 'A-3'
          item_holder_unless_free | status = 'SOLD', fence = 9 WHERE item = 'A-3'
          item_claim_ends | status = 'CLAIMED', fence = 9, holder = 'h' WHERE item = 'A-3'
          invalid input value for enum item_status | status = 'LOST', fence = 9, holder = 'h' WHERE item = 'A-3'
          """)
  void an_item_changes_state_only_by_the_rules(String rule, String change) {
    refused("UPDATE item SET " + change, rule);
  }

  @Requirement("BR-C-4")
  @Test
  void every_change_of_an_item_raises_its_version_by_one() {
    shop.rows()
        .change(
            """
            UPDATE item SET status = 'SOLD', fence = 9, holder = 'h', version = 70
             WHERE item = 'A-3'
            """);
    shop.rows().change("UPDATE item SET fence = 9 WHERE item = 'A-3'");

    assertThat(shop.rows().texts("SELECT version FROM item WHERE item = 'A-3'"))
        .containsExactly("1");
  }

  @Requirement({"RS-SF-e", "RS-ID-2", "RS-SF-b"})
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM consumed_request",
        "TRUNCATE consumed_request",
        "UPDATE consumed_request SET token = 'x'",
        "DELETE FROM attempt",
        "UPDATE attempt SET outcome = 'x'",
        "DELETE FROM verification",
        "UPDATE verification SET passed = false"
      })
  void append_only_rows_are_neither_changed_nor_deleted(String sql) {
    refused(sql, "neither changed nor deleted");
  }

  @Requirement({"RS-ID-2", "RS-ID-8", "RS-TX-3", "RP-01"})
  @Test
  void a_logical_key_is_consumed_once_also_by_another_deployment() {
    var again =
        """
        INSERT INTO consumed_request
        SELECT pool, caller, logical_key, protocol_version, operation, target, 'other artefact',
               owner_binding, run_id, sha256('other'), order_id, token, consumed_at
          FROM consumed_request
        """;

    refused(again, "consumed_request_key");
    refused(
        again
            .replace("caller, logical_key", "caller, 'k2'")
            .replace("sha256('other')", "replay_key"),
        "consumed_request_replay_key_once");
    assertThat(shop.rows().change(again + " ON CONFLICT DO NOTHING")).isZero();
  }

  @Requirement({"RS-ID-5", "RP-04"})
  @Test
  void a_nonce_is_used_within_its_time_only() {
    shop.nonce(shop.hold("A-9"), "confirm", 60);

    refused(
        "UPDATE authorization_nonce SET consumed_at = not_after, consumed_by = 'k'",
        "authorization_nonce_used_in_time");
    refused("UPDATE authorization_nonce SET hold_id = 'x', consumed_at = now()", "used, once");
    refused("DELETE FROM authorization_nonce", "used, once");
  }

  private void refused(String sql, String rule) {
    assertThatThrownBy(() -> shop.rows().change(sql))
        .rootCause()
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(rule);
  }
}
