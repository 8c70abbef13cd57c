package io.holdfast.journal.store;

import static io.holdfast.testing.Samples.NOON;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.ArrayList;

/// Stores lines of one pool in Postgres as a drainer does.
final class TestJournal implements AutoCloseable {
  static final PoolName ARENA = new PoolName("arena");

  private static final Epoch FIRST = new Epoch(1);

  private final TestSchema schema;
  private final TestLink link;
  private JournalPosition cursor = JournalPosition.START;

  TestJournal(TestServers servers) {
    schema = new TestSchema(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  void begin() throws SQLException {
    schema.clear("hold", "journal", "journal_cursor", "token_result", "pool");
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 1)");
  }

  /// Stores the lines after the previous ones.
  JournalStoreOutcome store(String... texts) {
    var from = cursor;
    var lines = new ArrayList<JournalLine>();
    for (var text : texts) {
      cursor = new JournalPosition(NOON.toEpochMilli(), cursor.sequence() + 1);
      lines.addAll(JournalLine.parse(cursor, FIRST, text));
    }
    return link.journal().store(ARENA, FIRST, from, cursor, lines);
  }

  /// The expected position of the cursor at the next call of `store`.
  JournalPosition cursor() {
    return cursor;
  }

  void moveTo(JournalPosition position) {
    cursor = position;
  }

  JournalTable table() {
    return link.journal();
  }

  HoldRows holds() {
    return link.holds();
  }

  TokenEntry token(String token) {
    return StoredTokens.find(link.transactions(), ARENA, new TokenRows.Key("shop", token))
        .orElseThrow();
  }

  @Override
  public void close() {
    link.close();
  }
}
