package io.holdfast.journal.store;

import static io.holdfast.journal.store.TestJournal.ARENA;
import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static io.holdfast.testing.Samples.called;
import static io.holdfast.testing.Samples.expired;
import static io.holdfast.testing.Samples.pinned;
import static io.holdfast.testing.Samples.placed;
import static io.holdfast.testing.Samples.released;
import static io.holdfast.testing.Samples.swept;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Lines that contradict Postgres or cannot be parsed are stored, counted, and do not stop the
/// journal.
@ExtendWith(RealServers.class)
class JournalDriftTest {
  private final TestJournal journal;
  private final TestSchema schema;

  JournalDriftTest(TestServers servers) {
    journal = new TestJournal(servers);
    schema = new TestSchema(servers);
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aPool() throws SQLException {
    journal.begin();
  }

  @AfterEach
  void close() {
    journal.close();
  }

  @Requirement("PC-INV-3")
  @Test
  void an_end_that_contradicts_postgres_is_drift_and_changes_nothing() throws SQLException {
    journal.store(placed(aHold(1, 1)), placed(aHold(1, 2)));
    schema.execute("UPDATE hold SET state = 'CONFIRMED', ended_at = placed_at WHERE token = 't1'");

    var outcome =
        journal.store(
            swept(expired(aHold(1, 1), EndReason.WINDOW, NOON.plusSeconds(1800))),
            swept(expired(aHold(1, 2), EndReason.WINDOW, NOON.plusSeconds(1800))));

    assertThat(outcome).isEqualTo(new Stored(2, 1));
    assertThat(schema.texts("SELECT state FROM hold ORDER BY fence"))
        .containsExactly("CONFIRMED", "EXPIRED");
  }

  @Test
  void an_end_of_a_hold_that_a_checkout_has_claimed_is_drift() throws SQLException {
    journal.store(placed(aHold(1, 1)));
    schema.execute("UPDATE hold SET pin_no = 3");
    var gone = released(aHold(1, 1), NOON.plusSeconds(1));

    assertThat(journal.store(swept(pinned(gone, 4)))).isEqualTo(new Stored(1, 1));
    assertThat(schema.texts("SELECT state FROM hold")).containsExactly("HELD");
  }

  @Test
  void an_end_by_a_redis_restored_from_an_older_state_is_stored() throws SQLException {
    journal.store(placed(aHold(1, 1)));
    schema.execute("UPDATE hold SET pin_no = 2");
    var gone = released(aHold(1, 1), NOON.plusSeconds(1));

    assertThat(journal.store(swept(pinned(gone, 0)))).isEqualTo(new Stored(1, 0));
    assertThat(schema.texts("SELECT state || ' ' || pin_no FROM hold"))
        .containsExactly("RELEASED 2");
  }

  @Test
  void a_hold_that_is_already_in_postgres_is_not_placed_again() throws SQLException {
    journal.store(placed(aHold(1, 1)));
    schema.execute("UPDATE hold SET pin_no = 1");

    assertThat(journal.store(called(NOON, "place_hold", "again", "SAME", aHold(1, 1).format())))
        .isEqualTo(new Stored(1, 0));

    assertThat(schema.texts("SELECT pin_no::text FROM hold")).containsExactly("1");
    assertThat(journal.token("again").outcome()).startsWith("SAME\t");
  }

  @Test
  void two_holds_under_one_fence_are_drift_and_do_not_stop_the_journal() {
    var twin = HoldRecord.parse(aHold(1, 1).format().replace("0123456789abcdef", "0".repeat(16)));
    journal.store(placed(aHold(1, 1)));

    assertThat(journal.store(placed(twin))).isEqualTo(new Stored(1, 1));
    assertThat(journal.store(swept(released(twin, NOON.plusSeconds(1)))))
        .isEqualTo(new Stored(1, 1));

    assertThat(journal.holds().find(twin.id(ARENA))).isEmpty();
    assertThat(journal.holds().find(aHold(1, 1).id(ARENA))).contains(aHold(1, 1));
  }

  @Test
  void an_unreadable_line_is_stored_and_does_not_stop_the_journal() throws SQLException {
    journal.store("what\0is this", placed(aHold(1, 1)));

    assertThat(schema.texts("SELECT word || ' ' || detail FROM journal ORDER BY stream_seq"))
        .first()
        .isEqualTo("UNREADABLE what\uFFFDis this");
    assertThat(journal.holds().find(aHold(1, 1).id(ARENA))).isPresent();
  }

  @Test
  void the_end_of_a_hold_is_never_before_its_placement_even_if_a_clock_is_behind() {
    journal.store(placed(aHold(1, 1)), swept(released(aHold(1, 2), NOON.minusSeconds(1))));
    journal.store(swept(released(aHold(1, 1), NOON.minusSeconds(1))));

    assertThat(journal.holds().page(ARENA, new HoldFilter("shop", null, null), 0, 10))
        .extracting(HoldRecord::endedAt)
        .containsExactly(NOON, NOON);
  }
}
