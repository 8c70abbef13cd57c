package io.holdfast.journal.store;

import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static io.holdfast.testing.Samples.confirmed;
import static io.holdfast.testing.Samples.expired;
import static io.holdfast.testing.Samples.placed;
import static io.holdfast.testing.Samples.released;
import static io.holdfast.testing.Samples.swept;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.events.HoldEvents;
import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The drain finds every row by its key, whatever the table statistics are. Asserts on the rows
/// that Postgres has read, not on time.
@Tag("slow")
@Requirement("AU-20")
@ExtendWith(RealServers.class)
class DrainPlansTest {
  private static final Epoch FIRST = new Epoch(1);
  private static final List<PoolName> POOLS =
      IntStream.range(0, 10).mapToObj(i -> new PoolName("pool-" + i)).toList();

  /// Sixty thousand items in each pool.
  private static final int ITEMS_A_HOLD = 6;

  private static final int HOLDS_A_POOL = 10_000;

  /// The lines that a drainer stores at once.
  private static final int BATCH = 2_000;

  private final TestServers servers;
  private final TestSchema schema;

  DrainPlansTest(TestServers servers) {
    this.servers = servers;
    this.schema = new TestSchema(servers);
  }

  @BeforeEach
  void tenPoolsInAFreshDatabase() throws SQLException {
    servers.renewDatabase();
    schema.migrate();
    for (var pool : POOLS) {
      schema.execute(
          "INSERT INTO pool (pool, kind, epoch) VALUES ('%s', 'SEATS', 1)".formatted(pool));
    }
  }

  /// Autovacuum is off: it would collect statistics, and it reads all rows.
  @Test
  void without_statistics_ten_pools_of_60000_items_are_drained_at_one_row_a_line()
      throws SQLException {
    schema.execute(
        """
        ALTER TABLE hold SET (autovacuum_enabled = off);
        ALTER INDEX hold_placed_at SET (autosummarize = off)
        """);

    try (var link = TestLink.to(servers.jdbcUrl())) {
      drain(link, hold -> placed(hold));
      drain(link, hold -> swept(expired(hold, EndReason.WINDOW, NOON.plusSeconds(1_800))));
    }

    awaitStatistics();
    assertThat(schema.texts("SELECT reltuples::text FROM pg_class WHERE relname = 'hold'"))
        .containsExactly("-1"); // never analysed
    var holds = POOLS.size() * HOLDS_A_POOL;
    assertThat(number("SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'hold'"))
        .isZero();
    assertThat(number("SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'hold'"))
        .isBetween((long) holds, 2L * holds);
    assertThat(number("SELECT count(*) FROM hold WHERE state = 'EXPIRED'")).isEqualTo(holds);
  }

  /// A scan would be the best plan for these tables, but the plan is kept while they grow.
  @Test
  void tables_that_were_analysed_while_empty_are_not_scanned() throws SQLException {
    schema.execute(
        """
        INSERT INTO webhook (caller, url, types, secret)
        VALUES ('shop', 'https://example.com', '{hold.placed}', 'secret')
        """);
    schema.execute("VACUUM ANALYZE");

    try (var link = TestLink.to(servers.jdbcUrl())) {
      var table = new JournalTable(link.transactions(), new HoldEvents());
      for (var i = 1; i <= 30; i += 3) {
        drainOneOfEachKind(table, i);
      }
    }

    awaitStatistics();
    assertThat(
            schema.texts(
                """
                SELECT relname || ': ' || seq_tup_read FROM pg_stat_user_tables
                 WHERE seq_tup_read > 0
                   AND relname IN ('hold', 'token_result', 'pool', 'journal_cursor')
                """))
        .isEmpty();
    assertThat(number("SELECT count(*) FROM event_fresh")).isEqualTo(40);
  }

  /// A hold that ends, one that is sold and whose line comes again, one that is placed twice.
  private void drainOneOfEachKind(JournalTable table, int sequence) {
    var ends = aHold(1, sequence);
    var sold = aHold(1, sequence + 1);
    var held = aHold(1, sequence + 2);
    var later = NOON.plusSeconds(1);
    store(table, POOLS.getFirst(), List.of(placed(ends), placed(sold), placed(held)));
    var sale = swept(confirmed(sold, later));
    store(table, POOLS.getFirst(), List.of(swept(released(ends, later)), sale));
    store(table, POOLS.getFirst(), List.of(sale, placed(held)));
  }

  private void drain(TestLink link, Function<HoldRecord, String> line) {
    var table = link.journal();
    for (var first = 1; first <= HOLDS_A_POOL; first += BATCH) {
      var lines =
          LongStream.range(first, first + BATCH)
              .mapToObj(sequence -> line.apply(aHold(1, sequence, items(sequence))))
              .toList();
      POOLS.forEach(pool -> store(table, pool, lines));
    }
  }

  private static List<ItemId> items(long sequence) {
    return IntStream.range(0, ITEMS_A_HOLD)
        .mapToObj(i -> new ItemId("A-%d-%d".formatted(sequence, i)))
        .toList();
  }

  private void store(JournalTable table, PoolName pool, List<String> texts) {
    var from = table.cursor(pool);
    var to = from;
    var lines = new ArrayList<JournalLine>();
    for (var text : texts) {
      to = new JournalPosition(NOON.toEpochMilli(), to.sequence() + 1);
      lines.addAll(JournalLine.parse(to, FIRST, text));
    }
    assertThat(table.store(pool, FIRST, from, to, lines)).isEqualTo(new Stored(texts.size(), 0));
  }

  /// A backend reports what it has read when it ends, at the latest.
  private void awaitStatistics() {
    var backends =
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'holdfast'
        """;
    Await.until(Duration.ofSeconds(10), () -> number(backends) == 0);
  }

  private long number(String query) throws SQLException {
    return Long.parseLong(schema.texts(query).getFirst());
  }
}
