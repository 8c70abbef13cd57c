package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each test forges records with triggers disabled. The auditor finds each forgery under its id,
/// and the forgery is rolled back.
@ExtendWith(RealServers.class)
class BrokenRecordsTest {
  private static TestServers servers;
  private static Service service;

  @BeforeAll
  static void trade(TestServers given) {
    servers = given;
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    SomeTrade.of(Api.of(service), Rows.of(servers));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void the_generated_records_pass_all_checks() throws SQLException {
    assertThat(found("SELECT 1")).isEmpty();
  }

  @Requirement({"IR-GA-2", "IR-GA-6", "IR-INV-5", "PC-ADV-1"})
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "IR-INV-1   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, action, caller, token, digest, window_ms, word, fence, hold_id, detail"
            + " FROM journal WHERE action = 'place_hold' AND word = 'HELD'",
        "IR-INV-2   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, action, caller, token, digest, window_ms, word, fence, hold_id, detail"
            + " FROM journal WHERE action = 'confirm'",
        "IR-INV-3   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, action, caller, token, digest, window_ms, word, fence, 'other', detail"
            + " FROM journal WHERE action = 'place_hold'",
        "IR-INV-4   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, 'release', caller, token, digest, window_ms, 'NOT_HELD', NULL, NULL,"
            + " '' FROM journal WHERE action = 'place_hold'",
        "IR-INV-6   | UPDATE token_result SET window_until = window_until + interval '1 s'",
        "IR-INV-7   | DELETE FROM token_result",
        "DP-INV-2   | UPDATE token_result SET recorded_at = recorded_at + interval '9 s' WHERE"
            + " action = 'place_hold'",
        "DP-INV-3   | INSERT INTO attempt (pool, caller, token, action, hold_id, outcome, detail)"
            + " SELECT pool, caller, token, action, hold_id, 'NOT_HELD', 'replayed' FROM attempt",
        "DP-INV-3   | INSERT INTO token_replay SELECT sha256(token), caller, action::text,"
            + " recorded_at, pool, token, 2, recorded_at, recorded_at + interval '1 min' FROM"
            + " journal WHERE word = 'RELEASED' AND token IS NOT NULL; INSERT INTO journal SELECT"
            + " pool, recorded_at + interval '30 s', stream_seq, epoch, happened_at, action,"
            + " caller, token, digest, window_ms, 'NOT_HELD', NULL, NULL, '' FROM journal WHERE"
            + " word = 'RELEASED' AND token IS NOT NULL",
        "P2         | UPDATE token_result SET outcome = concat(outcome, '!') WHERE action ="
            + " 'place_hold'",
        "PC-INV-2   | DELETE FROM journal WHERE word = 'RELEASED'",
        "PC-INV-3   | UPDATE hold SET state = 'CONFIRMED' WHERE state = 'RELEASED'",
        "PC-INV-4   | UPDATE hold SET fence = fence + 1000",
        "PC-INV-5   | UPDATE hold SET requester = 'mallory' WHERE state = 'HELD'",
        "PC-INV-6   | UPDATE hold SET expires_at = expires_at + interval '1 s'",
        "PC-INV-7   | UPDATE hold SET ended_at = expires_at WHERE state = 'CONFIRMED'",
        "PC-ADV-1   | UPDATE commitment SET committed_at = committed_at + interval '1 day' WHERE"
            + " voided_at IS NULL",
        "PC-INV-10  | DELETE FROM hold WHERE state = 'HELD'",
        "P1         | DROP INDEX commitment_one_live_per_item; INSERT INTO commitment SELECT pool,"
            + " item, hold_id, fence + 1, caller, requester, order_id, logical_key, price_cents,"
            + " currency, committed_at FROM commitment",
        "IR-GA-6    | DROP INDEX commitment_one_live_per_item",
        "IR-GA-6    | ALTER TABLE hold DISABLE TRIGGER hold_end_is_final",
        "P3         | UPDATE hold SET state = 'EXPIRED', end_reason = 'LOST', ended_at = now()"
            + " WHERE state = 'HELD'",
        "P8         | UPDATE admission SET admitted_at = admitted_at - interval '1 h' WHERE place ="
            + " (SELECT max(place) FROM admission)",
        "P8         | UPDATE sequence_cursor SET committed_sequence = 1",
        "P8         | DELETE FROM admission WHERE place = (SELECT min(place) FROM admission);"
            + " UPDATE journal_cursor SET stream_ms = stream_ms + 60000",
        "P8         | UPDATE ticket SET ended_at = ended_at + interval '1 h';"
            + " UPDATE journal_cursor SET stream_ms = stream_ms + 7200000",
        "AU-RAFFLE  | INSERT INTO raffle (pool, seed, drawn_at, last_number, tickets) SELECT pool,"
            + " sha256('1'), now(), 20, 20 FROM pool LIMIT 1; INSERT INTO raffle_place SELECT pool,"
            + " n, n FROM raffle, generate_series(1, 20) AS n",
        "P4         | UPDATE journal SET fence = -fence WHERE word = 'HELD'",
        "P5         | UPDATE commitment SET voided_at = committed_at; INSERT INTO commitment SELECT"
            + " pool, item, hold_id, fence + 1, caller, requester, order_id, logical_key,"
            + " price_cents, currency, committed_at - interval '1 s' FROM commitment",
        "P6         | DELETE FROM commitment WHERE item = 'A-2'",
        "PC-BH-2    | UPDATE hold SET items = ARRAY['A-4'], state = 'HELD', ended_at = NULL,"
            + " placed_at = placed_at - interval '1 minute'",
        "DRIFT-1    | UPDATE item SET status = 'FREE', holder = NULL",
        "DRIFT-2    | UPDATE hold SET state = 'RELEASED' WHERE state = 'CONFIRMED'",
        "DRIFT-3    | UPDATE commitment SET requester = 'mallory'",
        "DRIFT-4    | DELETE FROM consumed_request",
        "DRIFT-5    | DELETE FROM commitment",
        "DRIFT-6    | UPDATE item SET status = 'SOLD', holder = 'nobody' WHERE status = 'FREE'",
        "DRIFT-7    | UPDATE item SET status = 'CLAIMED', holder = 'nobody', claim_until = now()"
            + " WHERE status = 'FREE'",
        "DRIFT-8    | UPDATE consumed_request SET logical_key = concat(logical_key, '!')",
        "RS-S3d     | UPDATE verification SET passed = false",
        "BR-Q-2     | UPDATE auction SET winner_hold_id = (SELECT hold_id FROM hold WHERE requester"
            + " = 'later')",
        "BR-Q-2     | UPDATE auction SET winner_hold_id = NULL",
        "BR-Q-2     | UPDATE hold SET amount_cents = 900 WHERE requester = 'low'",
        "AU-ONCE    | DELETE FROM commitment WHERE item = 'lot'",
        "AU-ONCE    | UPDATE commitment SET price_cents = 1 WHERE item = 'lot'",
        "AU-LATE    | UPDATE auction SET last_sequence = 1 WHERE closed_at IS NOT NULL AND"
            + " winner_hold_id IS NOT NULL",
        "AU-ENDED   | UPDATE hold SET state = 'HELD', ended_at = NULL WHERE requester = 'low'",
        "PC-INV-2   | UPDATE auction SET closed_at = closed_at - interval '1 s'; DELETE FROM"
            + " journal WHERE word = 'RELEASED'",
        "PC-INV-5   | UPDATE hold SET amount_cents = 901 WHERE requester = 'low'",
        "IR-GA-6    | ALTER TABLE auction DISABLE TRIGGER auction_is_final",
        "AU-BLOCK   | INSERT INTO pool_change (pool, kind, changed_by, changed_at, items, detail)"
            + " SELECT pool, 'BLOCKED', 'x', committed_at, ARRAY[item], '{}' FROM commitment;"
            + " INSERT INTO pool_change (pool, kind, changed_by, changed_at, items, detail)"
            + " SELECT pool, 'UNBLOCKED', 'x', committed_at + interval '1 ms', ARRAY[item], '{}'"
            + " FROM commitment",
        "AU-ON-RECORD | UPDATE item SET status = 'BLOCKED' WHERE status = 'FREE'",
        "AU-ON-RECORD | INSERT INTO pool_change (pool, kind, changed_by, changed_at, items,"
            + " detail) SELECT pool, 'BLOCKED', 'x', now(), ARRAY[item], '{}' FROM item WHERE"
            + " status = 'FREE'",
        "AU-LIMIT   | UPDATE pool SET policy = jsonb_set(policy, '{maxItemsPerRequester}', '1')",
        "IR-GA-6    | ALTER TABLE pool_change DISABLE TRIGGER pool_change_is_append_only",
        "DH-EVENTS  | DELETE FROM stream_event WHERE version = 1",
        "DH-EVENTS  | DELETE FROM stream_event WHERE version = 2",
        "DH-EVENTS  | DELETE FROM stream_event",
        "DH-EVENTS  | UPDATE stream SET version = 4",
        "DH-EVENTS  | DELETE FROM stream",
        "DH-IDS     | DELETE FROM stream_alias",
        "DH-IDS     | DELETE FROM stream",
        "DH-KEYS    | DELETE FROM stream_secret",
        "IR-GA-6    | ALTER TABLE stream_event DISABLE TRIGGER stream_event_is_append_only",
        "IR-INV-8   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, action, caller, token, digest, window_ms, word, fence, hold_id, detail"
            + " FROM journal WHERE action = 'confirm'",
        "IR-INV-5   | UPDATE hold SET requester = 'mallory' WHERE state = 'HELD'",
        "DP-INV-1   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at, action, caller, token, digest, window_ms, 'TAKEN', NULL, NULL, '' FROM"
            + " journal WHERE action = 'place_hold'",
        "DP-INV-4   | INSERT INTO lease VALUES ('purge', 'test', now()) ON CONFLICT (name) DO"
            + " UPDATE SET until = now(); UPDATE token_result SET recorded_at = now() - interval '2"
            + " h', window_until = now() - interval '119 min'",
        "PC-INV-1   | ALTER TABLE hold DROP CONSTRAINT hold_end_dated; UPDATE hold SET ended_at"
            + " = NULL WHERE state = 'RELEASED'",
        "PC-INV-8   | ALTER TABLE hold DROP CONSTRAINT hold_end_after_placing, DROP CONSTRAINT"
            + " hold_end_after_its_time; UPDATE hold SET ended_at = placed_at - interval '1 s'"
            + " WHERE state = 'RELEASED'",
        "PC-INV-9   | INSERT INTO journal SELECT pool, recorded_at, stream_seq + 9, epoch,"
            + " happened_at + interval '1 s', action, caller, 'other', digest, window_ms, word,"
            + " fence, hold_id, detail FROM journal WHERE action = 'place_hold' AND word = 'HELD'",
        "RS-ID-4    | INSERT INTO authorization_nonce (pool, nonce_hash, hold_id, operation,"
            + " not_before, not_after, created_by, consumed_at, consumed_by) SELECT pool,"
            + " sha256('n'), hold_id, 'confirm', now() - interval '1 min', now() + interval '1"
            + " min', 'x', now(), 'nothing' FROM hold LIMIT 1",
        "RS-ID-4    | INSERT INTO authorization_nonce (pool, nonce_hash, hold_id, operation,"
            + " not_before, not_after, created_by, consumed_at, consumed_by) SELECT pool,"
            + " sha256('n'), hold_id, 'compensate', now() - interval '1 min', now() + interval '1"
            + " min', 'x', now(), 'nothing' FROM hold LIMIT 1",
        "AU-13      | INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id,"
            + " undo_id, state, undo, value_cents, refund_cents) SELECT pool, checkout_id, 9,"
            + " 'refund-1', concat(call_id, '1'), concat(call_id, '1:undo'), 'DONE', 'PLANNED',"
            + " 100, 100 FROM checkout_step WHERE name = 'capture' AND state = 'DONE'",
        "AU-13      | INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id,"
            + " undo_id, state, undo, value_cents, refund_cents) SELECT pool, checkout_id, 9,"
            + " 'refund-1', concat(call_id, '1'), concat(call_id, '1:undo'), 'DONE', 'DONE', 100,"
            + " 90 FROM checkout_step WHERE name = 'capture' AND state = 'DONE'",
        "IR-GA-6    | ALTER TABLE authorization_nonce DISABLE TRIGGER"
            + " authorization_nonce_is_used_once",
        "P5-ITEM    | UPDATE item SET fence = 1 WHERE status = 'SOLD'",
        "P7         | UPDATE payment_entry SET cents = cents - 1 WHERE kind = 'CAPTURED'",
        "P7-TOTAL   | DELETE FROM payment_entry WHERE kind = 'CAPTURED'",
        "P7-ONCE    | INSERT INTO payment_entry SELECT (jsonb_populate_record(e, '{\"call_id\":"
            + " \"again\", \"cents\": 0}')).* FROM payment_entry e WHERE kind = 'CAPTURED'",
        "P7-PROVIDER | UPDATE payment_entry SET cents = cents + 1 WHERE kind = 'CAPTURED'",
        "P7-NOTHING-HELD | UPDATE simulated_payment SET cancelled = false",
        "P9         | UPDATE checkout SET phase = 'FORWARD', ended_at = NULL, changed_at = now()"
            + " - interval '2 min' WHERE phase = 'DONE'",
        "P9         | INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail)"
            + " SELECT pool, checkout_id, 1, 'authorise', unnest(ARRAY['PENDING', 'DONE']), ''"
            + " FROM checkout WHERE phase = 'DONE'; UPDATE checkout SET phase = 'FORWARD',"
            + " ended_at = NULL, changed_at = now() - interval '90 s' WHERE phase = 'DONE'",
        "P9         | INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail)"
            + " SELECT pool, checkout_id, 1, 'authorise', 'PENDING', '' FROM checkout; UPDATE"
            + " checkout SET phase = 'FORWARD', ended_at = NULL, changed_at = now() - interval '3"
            + " min' WHERE phase = 'DONE'",
        "P9         | INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail,"
            + " recorded_at) SELECT pool, checkout_id, 1, 'authorise', 'PENDING', '', now() -"
            + " interval '26 h' FROM checkout; UPDATE checkout SET phase = 'FORWARD', ended_at ="
            + " NULL WHERE phase = 'DONE'",
        "AU-5       | DROP INDEX checkout_hold_once; UPDATE checkout SET (pool, hold_id) ="
            + " (SELECT pool, hold_id FROM checkout WHERE phase = 'DONE')",
        "BR-C-2     | UPDATE stock SET sold = 1",
        "BR-C-3     | ALTER TABLE stock DROP CONSTRAINT stock_sold_within_capacity; ALTER TABLE"
            + " stock DROP CONSTRAINT stock_claimed_within_capacity; UPDATE stock SET capacity = 1",
        "BR-S-1     | UPDATE checkout_step SET undo = 'PLANNED' WHERE undo = 'DONE'",
        "BR-S-3     | UPDATE checkout_step SET undo = 'STUCK'",
        "BR-S-6     | UPDATE checkout_step SET state = 'PLANNED' WHERE state = 'DONE'",
        "SAGA-LOG   | DELETE FROM checkout_log WHERE event = 'STARTED'",
        "SAGA-CLAIMS | UPDATE item SET status = 'CLAIMED', holder = 'nobody', claim_until ="
            + " now() WHERE status = 'FREE'",
        "SAGA-CLAIMS | UPDATE hold SET pin_no = pin_no + 1 WHERE state = 'HELD'",
        "OUTBOX     | DELETE FROM event; DELETE FROM event_fresh",
        "PC-EC-3    | UPDATE commitment SET voided_at = committed_at",
        "DRIFT-9    | UPDATE hold SET state = 'RELEASED' WHERE state = 'CONFIRMED'",
      })
  void a_forgery_is_found_under_its_id(String id, String forgery) throws SQLException {
    assertThat(found(forgery)).as(forgery).contains(id);
  }

  /// A check that was never seen to find something proves nothing.
  @Requirement("IR-GA-2")
  @Test
  void every_check_finds_some_forgery() throws Exception {
    var method =
        getClass().getDeclaredMethod("a_forgery_is_found_under_its_id", String.class, String.class);
    var forged =
        Stream.of(method.getAnnotation(CsvSource.class).value())
            .map(row -> row.split("\\|", 2)[0].strip())
            .distinct()
            .toList();

    var checks =
        Auditor.findings(
            query ->
                query.checks().stream()
                    .map(check -> Finding.of(check.id(), check.statement(), 0, 0, query.sql()))
                    .toList());

    assertThat(forged)
        .containsExactlyInAnyOrderElementsOf(checks.stream().map(Finding::id).distinct().toList());
  }

  /// A checkout that waits for a payment is changed by each look at it.
  @Test
  void a_checkout_that_waits_for_a_payment_is_not_incomplete() throws SQLException {
    var waiting =
        """
        INSERT INTO checkout_log (pool, checkout_id, lease_no, step, event, detail)
        SELECT pool, checkout_id, 1, 'authorise', 'PENDING', '' FROM checkout WHERE phase = 'DONE';
        UPDATE checkout SET phase = 'FORWARD', ended_at = NULL,
               changed_at = now() - interval '90 s' WHERE phase = 'DONE'
        """;

    assertThat(found(waiting)).doesNotContain("P9");
  }

  @Test
  @Requirement("IR-GA-6")
  void every_trigger_of_the_schema_is_missed_when_it_is_disabled() throws SQLException {
    var triggers =
        Rows.of(servers)
            .texts(
                """
                SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', c.relname, t.tgname)
                  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                 WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
                 ORDER BY c.relname, t.tgname
                """);

    assertThat(triggers).hasSizeGreaterThan(50);
    for (var disable : triggers) {
      assertThat(found(disable, "IR-GA-6")).as(disable).containsExactly("IR-GA-6");
    }
  }

  /// The ids of the checks that find something after the forgery, which is taken back.
  private static List<String> found(String forgery) throws SQLException {
    return found(forgery, "");
  }

  /// @param only the check to run; empty for all
  private static List<String> found(String forgery, String only) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SET LOCAL session_replication_role = replica");
      statement.execute(forgery);
      try {
        return Auditor.findings(query -> examined(connection, query, only)).stream()
            .filter(finding -> finding.violations() > 0)
            .map(Finding::id)
            .toList();
      } finally {
        connection.rollback();
      }
    }
  }

  private static List<Finding> examined(Connection connection, AuditQuery query, String only) {
    try {
      var isAsked = query.checks().stream().anyMatch(check -> check.id().startsWith(only));
      return isAsked ? Auditor.run(connection, query) : List.of();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
