package io.holdfast.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestSchema;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The key of a person goes with the last record of that person, and never while it is in use.
@ExtendWith(RealServers.class)
class PersonsAfterRetentionTest {
  private static final DataSubject ANNA = new DataSubject("shop", "anna");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final TestServers servers;
  private final OldRecords old;

  PersonsAfterRetentionTest(TestServers servers) {
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
    old.execute("INSERT INTO person_key (person_hash) VALUES (sha256(E'shop\\tanna'::bytea))");
  }

  @AfterEach
  void close() {
    old.close();
  }

  @Requirement("AU-21")
  @Test
  void the_key_of_a_person_goes_with_the_last_hold() throws SQLException {
    old.released(1, old.then());
    old.released(2, Instant.now());

    old.drop();
    assertThat(old.holds()).containsExactly("h2");
    assertThat(keys()).hasSize(1);

    old.execute(
        "SET session_replication_role = replica; UPDATE hold SET placed_at = '%1$s', ended_at = '%1$s'"
            .formatted(old.then()));
    old.drop();
    assertThat(old.holds()).isEmpty();
    assertThat(keys()).isEmpty();
  }

  @Requirement("AU-21")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE hold SET state = 'CONFIRMED', end_reason = NULL WHERE fence = 2",
        "UPDATE hold SET state = 'HELD', ended_at = NULL WHERE fence = 2",
        "INSERT INTO ticket VALUES ('arena', 1, 1, 'shop', 'anna', 's', now(), 'LEFT', now(),"
            + " false)",
        "INSERT INTO admission VALUES ('arena', 1, 1, 'shop', 'anna', now(), now() + interval '1"
            + " min')",
        "INSERT INTO event_person SELECT id, 'arena', 9, '{hold.requester}' FROM person_key",
        "UPDATE person_key SET secret = NULL, shredded_at = now()"
      })
  void a_key_that_a_record_needs_and_one_that_was_shredded_stay(String need) throws SQLException {
    old.released(1, old.then());
    old.released(2, old.then());
    old.execute("SET session_replication_role = replica; " + need);

    old.drop();

    assertThat(old.holds()).doesNotContain("h1");
    assertThat(keys()).hasSize(1);
  }

  @Requirement("AU-21")
  @Test
  void nobody_deletes_a_key_that_is_needed() throws SQLException {
    old.released(1, Instant.now());
    var named = "SELECT set_config('holdfast.dropped_person', E'shop\\t%s', false); ";

    for (var before : List.of("", named.formatted("bert"), named.formatted("anna"))) {
      assertThatThrownBy(() -> old.execute(before + "DELETE FROM person_key"))
          .hasMessageContaining("not deleted");
    }
    assertThatThrownBy(() -> old.execute("TRUNCATE person_key")).hasMessageContaining("shredded");
  }

  /// The walk neither waits for the transaction nor takes the key away from it.
  @Requirement("AU-21")
  @Test
  void a_key_that_a_transaction_writes_with_stays() throws SQLException {
    old.released(1, old.then());
    try (var writer = servers.connection();
        var statement = writer.createStatement()) {
      writer.setAutoCommit(false);
      statement.execute("SELECT 1 FROM person_key FOR SHARE");

      old.drop();
      writer.rollback();
    }

    assertThat(old.holds()).isEmpty();
    assertThat(keys()).hasSize(1);
  }

  /// The writer has found the key and waits for it while it is dropped.
  @Requirement("AU-21")
  @Test
  void a_transaction_that_needs_a_key_that_is_being_dropped_makes_a_new_one() throws Exception {
    var dropped = keys();
    try (var walk = servers.connection();
        var statement = walk.createStatement()) {
      walk.setAutoCommit(false);
      statement.execute("SELECT drop_person_keys(ARRAY[E'shop\\tanna'])");
      var writer =
          CompletableFuture.supplyAsync(
              () ->
                  old.transactions()
                      .write(connection -> SubjectKeys.findOrCreate(connection, Set.of(ANNA))));
      Await.until(PATIENCE, this::isSomebodyWaiting);
      walk.commit();

      var key = writer.join().get(ANNA);
      assertThat(keys())
          .containsExactly(Long.toString(key.id()))
          .doesNotContainAnyElementsOf(dropped);
    }
  }

  private boolean isSomebodyWaiting() throws SQLException {
    var sql =
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND datname = current_database()";
    return !old.texts(sql).isEmpty();
  }

  @Requirement("AU-21")
  @Test
  void the_persons_in_an_event_go_with_it_and_then_the_key() throws SQLException {
    old.released(1, old.then());
    old.event(1, old.then());
    old.event(2, Instant.now());
    old.execute(
        """
        SET session_replication_role = replica;
        UPDATE event SET data = format('{"hold":{"requester":{"__sealed":%s,"cipher":"c"},'
                                       '"metadata":{"__sealed":%s,"cipher":"c"}}}', k.id, k.id)
          FROM person_key k;
        INSERT INTO event_person
        SELECT k.id, 'arena', seq, '{hold.requester,hold.metadata}'
          FROM person_key k, generate_series(1, 2) AS seq
        """);

    old.drop();
    assertThat(old.texts("SELECT seq FROM event_person")).containsExactly("2");
    assertThat(keys()).as("the young event needs it").hasSize(1);
    assertThatThrownBy(() -> old.execute("DELETE FROM event_person"))
        .hasMessageContaining("deleted");

    old.released(3, old.then());
    old.execute(
        "SET session_replication_role = replica; UPDATE event SET recorded_at = '%s'"
            .formatted(old.then()));
    old.drop();
    assertThat(old.texts("SELECT seq FROM event_person")).isEmpty();
    assertThat(keys()).isEmpty();
  }

  private List<String> keys() throws SQLException {
    return old.texts("SELECT id FROM person_key");
  }
}
