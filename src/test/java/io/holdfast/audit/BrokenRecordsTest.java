package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each test forges records with triggers disabled. The auditor finds each forgery under its id,
/// and the forgery is rolled back.
@ExtendWith(RealServers.class)
class BrokenRecordsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String STREAM =
      """
      {"entityType":"User","businessKey":["anna"],"field":"username","expectedVersion":0,
       "events":[{"type":"A","data":{}},{"type":"B","data":{}},{"type":"C","data":{}}]}
      """;

  private static TestServers servers;
  private static Hold sold;
  private static Hold released;
  private static Hold live;

  @BeforeAll
  static void trade(TestServers given, Service service) {
    servers = given;
    var api = Api.of(service);
    var pool = api.pool(4);
    sold = api.hold(pool, "carl", "A-1", "A-2");
    var token = Api.token();
    api.confirm(sold, token, "carl", "order-1");
    api.confirm(sold, token, "carl", "order-1");
    released = api.hold(pool, "berta", "A-3");
    api.release(released.id(), Api.token(), "berta");
    live = api.hold(pool, "anna", "A-4");
    api.post("/v1/streams", Api.token(), STREAM);
    auction(api);
    admit(api);
    var rows = Rows.of(servers);
    Await.until(
        PATIENCE,
        () ->
            rows.stateOf(live).equals("HELD")
                && rows.stateOf(released).equals("RELEASED")
                && rows.number("SELECT count(*) FROM journal WHERE word = 'CONFIRMED'") > 0
                && rows.number("SELECT count(*) FROM ticket WHERE state = 'LEFT'") > 0);
  }

  /// One of four has left, the others are admitted.
  private static void admit(Api api) {
    var room = "/v1/pools/" + api.pool(9, "{\"waitingRoom\":true}");
    for (var requester : List.of("u1", "u2", "u3", "u4")) {
      var body = "{\"requester\":\"%s\"}".formatted(requester);
      var joined = api.post(room + "/queue", Api.token(), body);
      if (requester.equals("u2")) {
        api.delete("/v1/queue/" + Http.json(joined).get("ticket").asText(), Api.token());
      }
    }
    api.post(room + "/admissions", Api.token(), "{\"count\":2}");
    api.post(room + "/admissions", Api.token(), "{\"count\":2}");
  }

  /// Two equal bids, a lower one, one that was withdrawn and one that was raised.
  private static void auction(Api api) {
    var closesAt = Instant.now().plus(Duration.ofHours(1));
    api.post(
        "/v1/pools",
        Api.token(),
        "{\"pool\":\"lot\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1}"
            .formatted(closesAt));
    bid(api, "first", 500);
    bid(api, "later", 500);
    bid(api, "low", 300);
    bid(api, "low", 400);
    var withdrawn = Http.json(bid(api, "gone", 800)).get("bidId").asText();
    api.release(withdrawn, Api.token(), "gone");
    assertThat(api.post("/v1/pools/lot/close", Api.token(), "{}").body()).contains("first");
  }

  private static HttpResponse<String> bid(Api api, String requester, long amountCents) {
    return api.post(
        "/v1/pools/lot/bids",
        Api.token(),
        "{\"requester\":\"%s\",\"amountCents\":%d}".formatted(requester, amountCents));
  }

  @Test
  void the_generated_records_pass_all_checks() throws SQLException {
    assertThat(found("SELECT 1")).isEmpty();
  }

  @Requirement({"IR-GA-2", "IR-GA-6", "PC-ADV-1"})
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
        "P2         | UPDATE token_result SET outcome = concat(outcome, '!') WHERE action ="
            + " 'place_hold'",
        "PC-INV-2   | DELETE FROM journal WHERE word = 'RELEASED'",
        "PC-INV-3   | UPDATE hold SET state = 'CONFIRMED' WHERE state = 'RELEASED'",
        "PC-INV-4   | UPDATE hold SET fence = fence + 1000",
        "PC-INV-5   | UPDATE hold SET requester = 'mallory' WHERE state = 'HELD'",
        "PC-INV-6   | UPDATE hold SET expires_at = expires_at + interval '1 s'",
        "PC-INV-7   | UPDATE hold SET ended_at = expires_at WHERE state = 'CONFIRMED'",
        "PC-ADV-1   | UPDATE commitment SET committed_at = committed_at + interval '1 day'",
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
        "DRIFT-8    | UPDATE consumed_request SET logical_key = 'other'",
        "RS-S3d     | UPDATE verification SET passed = false",
        "BR-Q-2     | UPDATE auction SET winner_hold_id = (SELECT hold_id FROM hold WHERE requester"
            + " = 'later')",
        "BR-Q-2     | UPDATE auction SET winner_hold_id = NULL",
        "BR-Q-2     | UPDATE hold SET amount_cents = 900 WHERE requester = 'low'",
        "AU-ONCE    | DELETE FROM commitment WHERE item = 'lot'",
        "AU-ONCE    | UPDATE commitment SET price_cents = 1 WHERE item = 'lot'",
        "AU-LATE    | UPDATE auction SET last_sequence = 1",
        "AU-ENDED   | UPDATE hold SET state = 'HELD', ended_at = NULL WHERE requester = 'low'",
        "PC-INV-2   | UPDATE auction SET closed_at = closed_at - interval '1 s'; DELETE FROM"
            + " journal WHERE word = 'RELEASED'",
        "PC-INV-5   | UPDATE hold SET amount_cents = 901 WHERE requester = 'low'",
        "IR-GA-6    | ALTER TABLE auction DISABLE TRIGGER auction_is_final",
        "DH-EVENTS  | DELETE FROM stream_event WHERE version = 1",
        "DH-EVENTS  | DELETE FROM stream_event WHERE version = 2",
        "DH-EVENTS  | DELETE FROM stream_event",
        "DH-EVENTS  | UPDATE stream SET version = 4",
        "DH-EVENTS  | DELETE FROM stream",
        "DH-IDS     | DELETE FROM stream_alias",
        "DH-IDS     | DELETE FROM stream",
        "DH-KEYS    | DELETE FROM stream_secret",
        "IR-GA-6    | ALTER TABLE stream_event DISABLE TRIGGER stream_event_is_append_only",
      })
  void a_forgery_is_found_under_its_id(String id, String forgery) throws SQLException {
    assertThat(found(forgery)).as(forgery).contains(id);
  }

  /// The ids of the checks that find something after the forgery, which is taken back.
  private static List<String> found(String forgery) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SET LOCAL session_replication_role = replica");
      statement.execute(forgery);
      try {
        return Stream.of(
                TokenAuditQueries.ALL,
                HoldAuditQueries.ALL,
                SaleAuditQueries.ALL,
                AuctionAuditQueries.ALL,
                StreamAuditQueries.ALL,
                WaitingAuditQueries.ALL)
            .flatMap(List::stream)
            .flatMap(query -> examined(connection, query).stream())
            .filter(finding -> finding.violations() > 0)
            .map(Finding::id)
            .toList();
      } finally {
        connection.rollback();
      }
    }
  }

  private static List<Finding> examined(Connection connection, AuditQuery query) {
    try {
      return Auditor.run(connection, query);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
