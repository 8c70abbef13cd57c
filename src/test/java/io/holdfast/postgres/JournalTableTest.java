package io.holdfast.postgres;

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

import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StreamId;
import io.holdfast.postgres.StoreOutcome.Behind;
import io.holdfast.postgres.StoreOutcome.Stored;
import io.holdfast.postgres.StoreOutcome.Superseded;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class JournalTableTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final Epoch FIRST = new Epoch(1);

  private final TestSchema schema;
  private final TestLink link;
  private final JournalTable journal;
  private final HoldRows holds;
  private StreamId cursor = StreamId.START;

  JournalTableTest(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
    journal = new JournalTable(link.transactions());
    holds = new HoldRows(link.transactions());
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aPool() throws SQLException {
    schema.clear("hold", "journal", "journal_cursor", "token_result", "pool");
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Requirement({"IR-ST-01", "IR-GA-1"})
  @Test
  void a_line_is_kept_as_it_was_and_its_hold_and_token_can_be_read_back() throws SQLException {
    var hold = aHold(1, 1);

    assertThat(store(placed(hold))).isEqualTo(new Stored(0));

    assertThat(holds.find(hold.id(ARENA))).contains(hold);
    assertThat(journal.cursor(ARENA)).isEqualTo(cursor);
    assertThat(schema.texts("SELECT word || ' ' || detail FROM journal"))
        .containsExactly("HELD " + hold.format());
    var entry = token("t1");
    assertThat(entry.digest()).isEqualTo(DIGEST);
    assertThat(entry.outcome()).isEqualTo("HELD\t" + hold.format());
    assertThat(entry.recordedAt()).isEqualTo(NOON);
    assertThat(entry.windowUntil()).isEqualTo(NOON.plusSeconds(60));
  }

  @Test
  void a_token_of_any_bytes_comes_back_byte_for_byte() {
    var bytes = new StringBuilder();
    IntStream.rangeClosed(0x20, 0xff).filter(b -> b != 0x7f).forEach(b -> bytes.append((char) b));

    store(called(NOON, "place_hold", bytes.toString(), "TAKEN", "A-1"));

    assertThat(token(bytes.toString()).outcome()).isEqualTo("TAKEN\tA-1");
  }

  @Test
  void a_hold_that_is_placed_and_ended_in_one_batch_is_there_in_its_last_state() {
    var hold = aHold(1, 1);
    var gone = released(hold, NOON.plusSeconds(5));

    assertThat(
            store(
                placed(hold),
                called(NOON.plusSeconds(5), "release", "r", "RELEASED", gone.format())))
        .isEqualTo(new Stored(0));

    assertThat(holds.find(hold.id(ARENA))).contains(gone);
    assertThat(token("r").outcome()).startsWith("RELEASED\t");
  }

  @Test
  void a_hold_ends_in_a_later_batch_with_the_lease_it_had_by_then() {
    var hold = aHold(1, 1);
    store(placed(hold), placed(aHold(1, 2)));
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
            hold.items());
    var gone = expired(beaten, EndReason.LEASE, NOON.plusSeconds(901));

    assertThat(store(swept(gone))).isEqualTo(new Stored(0));

    assertThat(holds.find(hold.id(ARENA))).contains(gone);
    assertThat(holds.live(ARENA, Long.MAX_VALUE, 10)).containsExactly(aHold(1, 2));
  }

  @Requirement("PC-INV-3")
  @Test
  void an_end_that_postgres_has_decided_otherwise_is_drift_and_changes_nothing()
      throws SQLException {
    store(placed(aHold(1, 1)), placed(aHold(1, 2)));
    schema.execute("UPDATE hold SET state = 'CONFIRMED', ended_at = placed_at WHERE token = 't1'");

    var outcome =
        store(
            swept(expired(aHold(1, 1), EndReason.WINDOW, NOON.plusSeconds(1800))),
            swept(expired(aHold(1, 2), EndReason.WINDOW, NOON.plusSeconds(1800))));

    assertThat(outcome).isEqualTo(new Stored(1));
    assertThat(schema.texts("SELECT state FROM hold ORDER BY fence"))
        .containsExactly("CONFIRMED", "EXPIRED");
  }

  @Test
  void an_end_under_an_older_pin_than_postgres_knows_is_drift() throws SQLException {
    store(placed(aHold(1, 1)));
    schema.execute("UPDATE hold SET pin_no = 2");
    var gone = released(aHold(1, 1), NOON.plusSeconds(1));

    assertThat(store(swept(pinned(gone, 1)))).isEqualTo(new Stored(1));
    assertThat(schema.texts("SELECT state FROM hold")).containsExactly("HELD");

    assertThat(store(swept(pinned(gone, 2)))).isEqualTo(new Stored(0));
    assertThat(schema.texts("SELECT state FROM hold")).containsExactly("RELEASED");
  }

  @Test
  void a_hold_that_postgres_knows_from_elsewhere_is_not_placed_again() throws SQLException {
    store(placed(aHold(1, 1)));
    schema.execute("UPDATE hold SET pin_no = 1");

    assertThat(store(called(NOON, "place_hold", "again", "SAME", aHold(1, 1).format())))
        .isEqualTo(new Stored(0));

    assertThat(schema.texts("SELECT pin_no::text FROM hold")).containsExactly("1");
    assertThat(token("again").outcome()).startsWith("SAME\t");
  }

  @Test
  void two_holds_under_one_fence_are_drift_and_do_not_stop_the_journal() {
    var twin = HoldRecord.parse(aHold(1, 1).format().replace("0123456789abcdef", "0".repeat(16)));
    store(placed(aHold(1, 1)));

    assertThat(store(placed(twin))).isEqualTo(new Stored(1));
    assertThat(holds.find(twin.id(ARENA))).isEmpty();
  }

  @Test
  void a_line_that_cannot_be_read_is_kept_and_does_not_stop_the_journal() throws SQLException {
    store("what\0is this", placed(aHold(1, 1)));

    assertThat(schema.texts("SELECT word || ' ' || detail FROM journal ORDER BY stream_seq"))
        .first()
        .isEqualTo("UNREADABLE what\uFFFDis this");
    assertThat(holds.find(aHold(1, 1).id(ARENA))).isPresent();
  }

  @Test
  void the_end_of_a_hold_is_not_before_its_beginning_though_a_clock_may_be_behind() {
    store(placed(aHold(1, 1)), swept(released(aHold(1, 2), NOON.minusSeconds(1))));
    store(swept(released(aHold(1, 1), NOON.minusSeconds(1))));

    assertThat(holds.page(ARENA, new HoldFilter("shop", null, null), 0, 10))
        .extracting(HoldRecord::endedAt)
        .containsExactly(NOON, NOON);
  }

  @Test
  void of_two_uses_of_a_token_the_later_counts_in_one_batch_and_over_several() {
    var later = NOON.plus(Duration.ofHours(1));
    store(
        called(NOON, "place_hold", "t", "TAKEN", "A-1"),
        called(NOON.plusSeconds(61), "place_hold", "t", "LIMIT"));
    assertThat(token("t").outcome()).isEqualTo("LIMIT");

    store(called(later, "release", "t", "NOT_HELD"));
    assertThat(token("t").outcome()).isEqualTo("NOT_HELD");

    store(called(NOON.plusSeconds(62), "place_hold", "t", "TAKEN", "A-2"));
    assertThat(token("t").recordedAt()).isEqualTo(later);
  }

  @Test
  void lines_of_a_redis_whose_epoch_is_over_are_refused() throws SQLException {
    schema.execute("UPDATE pool SET epoch = 2");

    assertThat(store(placed(aHold(1, 1)))).isEqualTo(new Superseded());

    assertThat(schema.texts("SELECT word FROM journal")).isEmpty();
    assertThat(schema.texts("SELECT hold_id FROM hold")).isEmpty();
    assertThat(journal.cursor(ARENA)).isEqualTo(StreamId.START);
  }

  @Test
  void lines_that_somebody_else_has_brought_are_refused_with_where_the_cursor_stands()
      throws SQLException {
    store(placed(aHold(1, 1)));
    var there = cursor;
    cursor = StreamId.START;

    assertThat(store(placed(aHold(1, 1)))).isEqualTo(new Behind(there));
    cursor = new StreamId(7, 0);
    assertThat(store(placed(aHold(1, 1)))).isEqualTo(new Behind(there));

    assertThat(schema.texts("SELECT word FROM journal")).hasSize(1);
  }

  /// Stores the lines behind where the last ones ended.
  private StoreOutcome store(String... texts) {
    var from = cursor;
    var lines = new ArrayList<JournalLine>();
    for (var text : texts) {
      cursor = new StreamId(NOON.toEpochMilli(), cursor.sequence() + 1);
      lines.add(JournalLine.parse(cursor, FIRST, text));
    }
    return journal.store(ARENA, FIRST, from, cursor, List.copyOf(lines));
  }

  private TokenEntry token(String token) {
    return new TokenRows(link.transactions())
        .find(ARENA, new TokenRows.Key("shop", token))
        .orElseThrow();
  }
}
