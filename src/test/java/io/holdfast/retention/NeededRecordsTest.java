package io.holdfast.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// No record is dropped that something needs, however old it is.
@ExtendWith(RealServers.class)
class NeededRecordsTest {
  /// Beside each record that is needed, another one of the same age is not and must go.
  private static final int UNNEEDED = 9;

  private final TestServers servers;
  private final OldRecords old;

  NeededRecordsTest(TestServers servers) {
    this.servers = servers;
    this.old = new OldRecords(servers);
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void begin() throws SQLException {
    old.begin();
  }

  @AfterEach
  void close() {
    old.close();
  }

  @Requirement("AU-21")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE hold SET state = 'HELD', ended_at = NULL WHERE fence = 1",
        "UPDATE hold SET state = 'CONFIRMED' WHERE fence = 1",
        "INSERT INTO commitment SELECT pool, items[1], hold_id, fence, caller, requester, 'o', 'k',"
            + " 0, 'EUR', ended_at FROM hold WHERE fence = 1",
        "UPDATE item SET status = 'SOLD', holder = 'h1', fence = 1 WHERE item = 'A-1'",
        "UPDATE hold SET ended_at = now() WHERE fence = 1",
        "INSERT INTO outbox (pool, hold_id, topic, created_at) VALUES ('arena', 'h1', 'settle',"
            + " '%s'); UPDATE hold SET pool = 'other' WHERE fence = 9",
        "INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,"
            + " recorded_at, window_until) VALUES ('arena', 'shop', 't1', 'place_hold', 'd', '1',"
            + " 'HELD', now(), now() + interval '1 min')",
        "INSERT INTO auction (pool, closes_at, reserve_cents) VALUES ('arena', now(), 1);"
            + " UPDATE hold SET pool = 'other' WHERE fence = 9"
      })
  void a_hold_that_something_needs_stays(String need) throws SQLException {
    old.released(1, old.then());
    old.released(UNNEEDED, old.then());
    old.execute("SET session_replication_role = replica; " + need.formatted(old.then()));

    old.drop();

    assertThat(old.holds()).containsExactly("h1");
    assertThat(old.dropped("holds")).isEqualTo(1);
  }

  @Requirement("AU-21")
  @ParameterizedTest
  @ValueSource(strings = {"FORWARD", "STUCK", "DONE", "COMPENSATED"})
  void the_holds_of_a_checkout_stay(String phase) throws SQLException {
    old.released(1, old.then());
    old.released(2, old.then());
    old.released(UNNEEDED, old.then());
    old.checkout("h1", phase, "h2");

    old.drop();

    assertThat(old.holds()).containsExactly("h1", "h2");
    assertThat(old.dropped("holds")).isEqualTo(1);
  }

  /// Whoever deletes: here the owner of the tables.
  @Requirement("AU-21")
  @Test
  void the_database_refuses_to_delete_what_is_needed() throws SQLException {
    old.released(1, old.then());
    old.hold(2, old.then(), "HELD");
    old.attempt("t", "NOT_HELD", "young", Instant.now());
    old.event(1, Instant.now());
    old.table().dropOldestPartition(OldRecords.KEEP);

    old.replay("t", Instant.now());
    for (var table : new String[] {"hold", "attempt", "event", "token_replay", "journal_drop"}) {
      assertThatThrownBy(() -> old.execute("DELETE FROM " + table)).hasMessageContaining("deleted");
      assertThatThrownBy(() -> old.execute("TRUNCATE " + table)).hasMessageContaining("deleted");
    }
    old.execute("DELETE FROM hold WHERE fence = 1");

    assertThat(old.holds()).containsExactly("h2");
  }

  /// An attempt of an earlier version has the key as it was given, a later one has its hash, as the
  /// consumed request has it since then.
  @Requirement({"AU-21", "RS-FR-3"})
  @ParameterizedTest
  @CsvSource({"key, key", "hashed('key'), key", "hashed('key'), hashed('key')"})
  void a_consumed_key_stays_with_its_hold_its_attempt_and_its_replays(
      String consumed, String attempted) throws SQLException {
    var key = "key".equals(consumed) ? "'key'" : consumed;
    old.hold(1, old.then(), "CONFIRMED");
    old.execute(
        """
        INSERT INTO consumed_request
        VALUES ('arena', 'shop', %s, '1', 'confirm', 'h1', 'a', 'o', 'r', sha256('k'), 'o', 'paid',
                '%s')
        """
            .formatted(key, old.then()));
    old.attempt("paid", "CONFIRMED", "", old.then());
    old.attempt("paid", "CONFIRMED", "replayed", old.then());
    old.attempt("again", "CONFIRMED", "", old.then());
    if (!"key".equals(attempted)) {
      old.execute(
          "SET session_replication_role = replica; UPDATE attempt SET logical_key = " + attempted);
    }
    old.replay("paid", old.then());
    old.replay("again", old.then());

    old.drop();

    assertThat(old.texts("SELECT logical_key = " + key + " FROM consumed_request"))
        .containsExactly("t");
    assertThat(old.holds()).containsExactly("h1");
    assertThat(old.attempts()).containsExactly("CONFIRMED ");
    assertThat(old.dropped("attempts")).isEqualTo(2);
    assertThat(old.texts("SELECT convert_from(token, 'UTF8') FROM token_replay"))
        .containsExactly("paid");
    assertThat(old.dropped("replays")).isEqualTo(1);
  }

  @Requirement("AU-21")
  @Test
  void the_attempts_of_a_token_in_its_window_stay() throws SQLException {
    old.attempt("t", "NOT_HELD", "", old.then());
    old.attempt("other", "NOT_HELD", "", old.then());
    old.token("t", Instant.now(), "now() + interval '1 minute'");

    old.drop();

    assertThat(old.texts("SELECT token FROM attempt")).hasSize(1);
    assertThat(old.dropped("attempts")).isEqualTo(1);
  }

  @Requirement("AU-21")
  @Test
  void an_event_stays_until_every_enabled_webhook_has_got_it() throws SQLException {
    for (var sequence = 1; sequence <= 5; sequence++) {
      old.event(sequence, old.then());
    }
    old.webhook(5, true);
    old.webhook(3, true);
    old.webhook(1, false);

    old.drop();

    assertThat(old.events()).containsExactly("4", "5");
  }

  @Requirement("AU-21")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{elsewhere} | 0", "{elsewhere,arena} | 1", "{} | 1"})
  void an_event_stays_for_the_webhooks_of_its_pool_only(String pools, int left)
      throws SQLException {
    old.event(1, old.then());
    old.webhook(0, true);
    old.execute("UPDATE webhook SET pools = '" + pools + "'; DELETE FROM webhook_lane");

    old.drop();

    assertThat(old.events()).hasSize(left);
  }

  /// The events of a pool are delivered from its first one to a webhook that has no position there.
  @Requirement("AU-21")
  @Test
  void an_event_stays_for_a_webhook_without_a_position_in_its_pool() throws SQLException {
    old.event(1, old.then());
    old.webhook(5, true);
    old.execute("UPDATE webhook_lane SET pool = 'elsewhere'");

    old.drop();

    assertThat(old.events()).containsExactly("1");
  }

  @Requirement("AU-21")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO auction (pool, closes_at, reserve_cents) VALUES ('arena', '%s', 1)",
        "INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,"
            + " recorded_at, window_until) VALUES ('arena', 'shop', 't1', 'place_hold', 'd', '1',"
            + " 'HELD', '%s', now() + interval '1 min')"
      })
  void a_partition_whose_lines_are_needed_is_not_dropped(String need) throws SQLException {
    old.execute(need.formatted(old.then()));

    old.drop();
    assertThat(old.linesIn()).containsExactly(old.partition());

    new TestSchema(servers).clear("auction", "token_result");
    old.drop();
    assertThat(old.linesIn()).isEmpty();
  }
}
