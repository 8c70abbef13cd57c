package io.holdfast.journal.store;

import static io.holdfast.journal.store.TestJournal.ARENA;
import static io.holdfast.testing.Samples.DIGEST;
import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static io.holdfast.testing.Samples.called;
import static io.holdfast.testing.Samples.expired;
import static io.holdfast.testing.Samples.pinned;
import static io.holdfast.testing.Samples.placed;
import static io.holdfast.testing.Samples.released;
import static io.holdfast.testing.Samples.swept;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.journal.store.JournalStoreOutcome.Behind;
import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.journal.store.JournalStoreOutcome.Superseded;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.JournalPosition;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the drainer leaves in Postgres, batch by batch.
@ExtendWith(RealServers.class)
class JournalTableTest {
  private final TestJournal journal;
  private final TestSchema schema;

  JournalTableTest(TestServers servers) {
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

  private String pseudonym() throws SQLException {
    return schema.texts("SELECT pseudonym FROM person_key").getFirst();
  }

  @Requirement({"IR-ST-01"})
  @Test
  void a_line_is_stored_with_a_pseudonym_and_with_its_hold_and_token() throws SQLException {
    var hold = aHold(1, 1);

    assertThat(journal.store(placed(hold))).isEqualTo(new Stored(1, 0));

    assertThat(journal.holds().find(hold.id(ARENA))).contains(hold);
    assertThat(journal.table().cursor(ARENA)).isEqualTo(journal.cursor());
    assertThat(schema.texts("SELECT word || ' ' || detail FROM journal"))
        .containsExactly("HELD " + hold.unnamed(pseudonym()).format());
    var entry = journal.token("t1");
    assertThat(entry.digest()).isEqualTo(DIGEST);
    assertThat(entry.outcome()).isEqualTo("HELD\t" + hold.format());
    assertThat(entry.recordedAt()).isEqualTo(NOON);
    assertThat(entry.windowUntil()).isEqualTo(NOON.plusSeconds(60));
  }

  @Test
  void a_token_of_any_bytes_is_stored_byte_for_byte() {
    var bytes = new StringBuilder();
    IntStream.rangeClosed(0x20, 0xff).filter(b -> b != 0x7f).forEach(b -> bytes.append((char) b));

    journal.store(called(NOON, "place_hold", bytes.toString(), "TAKEN", "A-1"));

    assertThat(journal.token(bytes.toString()).outcome()).isEqualTo("TAKEN\tA-1");
  }

  @Test
  void a_hold_that_is_placed_and_ended_in_one_batch_is_stored_in_its_last_state() {
    var hold = aHold(1, 1);
    var gone = released(hold, NOON.plusSeconds(5));

    assertThat(
            journal.store(
                placed(hold),
                called(NOON.plusSeconds(5), "release", "r", "RELEASED", gone.format())))
        .isEqualTo(new Stored(2, 0));

    assertThat(journal.holds().find(hold.id(ARENA))).contains(gone);
    assertThat(journal.token("r").outcome()).startsWith("RELEASED\t");
  }

  /// A checkout has claimed a live hold whose row has an odd pin number; this one is only pinned.
  @Test
  void a_pinned_hold_that_is_placed_again_is_stored_without_its_pin() {
    var once = aHold(1, 1);
    var again = aHold(1, 2);

    journal.store(
        placed(once),
        called(NOON, "place_hold", "same", "SAME", pinned(once, 1).format()),
        called(NOON, "place_hold", "alone", "SAME", pinned(again, 3).format()));

    assertThat(journal.holds().find(once.id(ARENA))).contains(once);
    assertThat(journal.holds().find(again.id(ARENA))).contains(pinned(again, 2));
  }

  @Test
  void a_hold_that_ends_in_a_later_batch_is_stored_with_its_last_lease() {
    var hold = aHold(1, 1);
    journal.store(placed(hold), placed(aHold(1, 2)));
    var beaten =
        new HoldRecord(
            hold.state(),
            hold.fence(),
            hold.salt(),
            hold.caller(),
            hold.requester(),
            hold.placedAt(),
            hold.leaseUntil().plusSeconds(300),
            hold.expiresAt(),
            hold.lease(),
            null,
            null,
            0,
            hold.token(),
            hold.items(),
            null,
            "",
            null);
    var gone = expired(beaten, EndReason.LEASE, NOON.plusSeconds(901));

    assertThat(journal.store(swept(gone))).isEqualTo(new Stored(1, 0));

    assertThat(journal.holds().find(hold.id(ARENA))).contains(gone);
    assertThat(journal.holds().live(ARENA, Long.MAX_VALUE, 10)).containsExactly(aHold(1, 2));
  }

  @Test
  void the_later_use_of_a_token_replaces_the_earlier_one_within_and_across_batches() {
    var later = NOON.plus(Duration.ofHours(1));
    journal.store(
        called(NOON, "place_hold", "t", "TAKEN", "A-1"),
        called(NOON.plusSeconds(61), "place_hold", "t", "LIMIT", "4"));
    assertThat(journal.token("t").outcome()).isEqualTo("LIMIT\t4");

    journal.store(called(later, "release", "t", "NOT_HELD"));
    assertThat(journal.token("t").outcome()).isEqualTo("NOT_HELD");

    journal.store(called(NOON.plusSeconds(62), "place_hold", "t", "TAKEN", "A-2"));
    assertThat(journal.token("t").recordedAt()).isEqualTo(later);
  }

  @Test
  void lines_of_a_superseded_epoch_are_refused() throws SQLException {
    schema.execute("UPDATE pool SET epoch = 2");

    assertThat(journal.store(placed(aHold(1, 1)))).isEqualTo(new Superseded());

    assertThat(schema.texts("SELECT word FROM journal")).isEmpty();
    assertThat(schema.texts("SELECT hold_id FROM hold")).isEmpty();
    assertThat(journal.table().cursor(ARENA)).isEqualTo(JournalPosition.START);
  }

  @Test
  void lines_that_another_drainer_has_stored_are_refused_with_the_position_of_the_cursor()
      throws SQLException {
    journal.store(placed(aHold(1, 1)));
    var there = journal.cursor();
    journal.moveTo(JournalPosition.START);

    assertThat(journal.store(placed(aHold(1, 1)))).isEqualTo(new Behind(there));
    journal.moveTo(new JournalPosition(7, 0));
    assertThat(journal.store(placed(aHold(1, 1)))).isEqualTo(new Behind(there));

    assertThat(schema.texts("SELECT word FROM journal")).hasSize(1);
  }

  /// A batch that has begun in an epoch ends in it, or not at all.
  @Test
  void the_epoch_cannot_rise_during_a_batch(TestServers servers) throws Exception {
    journal.store(placed(aHold(1, 1)));
    try (var blocking = servers.connection()) {
      blocking.setAutoCommit(false);
      blocking.createStatement().execute("SELECT 1 FROM journal_cursor FOR UPDATE");
      var storing = CompletableFuture.supplyAsync(() -> journal.store(placed(aHold(1, 2))));
      Await.until(Duration.ofSeconds(10), () -> isWaiting());

      assertThatThrownBy(
              () -> schema.execute("SET lock_timeout = '200ms'; UPDATE pool SET epoch = 2"))
          .hasMessageContaining("lock timeout");

      blocking.rollback();
      assertThat(storing.join()).isEqualTo(new Stored(1, 0));
    }
  }

  private boolean isWaiting() throws SQLException {
    return !schema
        .texts("SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        .isEmpty();
  }
}
