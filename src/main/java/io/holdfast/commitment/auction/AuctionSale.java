package io.holdfast.commitment.auction;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.EpochCheck;
import io.holdfast.commitment.sale.ReplayKey;
import io.holdfast.commitment.sequence.SequencedWork;
import io.holdfast.events.EventWriter;
import io.holdfast.events.HoldEvents;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Decides an auction in one transaction: picks the highest bid, of equal ones the earlier, sells
/// the lot to it, releases all others, and writes the result. A second close finds the result and
/// writes nothing. The bids are those that the journal has brought here, so the close is refused
/// before all of them are here.
final class AuctionSale implements SequencedWork<AuctionClose> {
  private static final String LOCK = "SELECT closed_at FROM auction WHERE pool = ? FOR UPDATE";

  /// The line that `auction/close.lua` writes behind the lines of all bids.
  private static final String IS_DRAINED =
      """
      SELECT 1 FROM journal
       WHERE pool = ? AND epoch = ? AND word = 'CLOSING'
         AND recorded_at >= to_timestamp(?::float8 / 1000) - interval '1 minute'
       LIMIT 1
      """;

  /// All bids that are live here were live at the close: the ends of the others were drained.
  private static final String WINNER =
      """
      SELECT h.* FROM hold h JOIN auction a USING (pool)
       WHERE h.pool = ? AND h.state = 'HELD' AND h.fence <= ?
         AND h.amount_cents >= greatest(a.reserve_cents, 1)
       ORDER BY h.amount_cents DESC, h.fence
       LIMIT 1
         FOR UPDATE OF h
      """;

  /// The sale takes effect at the close, when the bid was live, however late this runs.
  private static final String SELL =
      """
      WITH sale AS MATERIALIZED (
          SELECT h.*, ?::text AS logical_key, ?::bytea AS replay_key,
                 ?::text AS currency, 'auction:' || h.pool AS order_id,
                 greatest(to_timestamp(?::float8 / 1000), h.placed_at) AS sold_at
            FROM hold h
           WHERE h.pool = ? AND h.hold_id = ?),
      sold AS (
          UPDATE item
             SET status = 'SOLD', fence = sale.fence, holder = sale.hold_id
            FROM sale
           WHERE item.pool = sale.pool AND item.item = 'lot'
             AND item.status = 'FREE' AND item.fence < sale.fence
          RETURNING 1),
      confirmed AS (
          UPDATE hold
             SET state = 'CONFIRMED', items = '{lot}', ended_at = sale.sold_at
            FROM sale
           WHERE hold.pool = sale.pool AND hold.hold_id = sale.hold_id
             AND hold.state = 'HELD' AND hold.pin_no % 2 = 0
          RETURNING 1),
      consumed AS (
          INSERT INTO consumed_request
                 (pool, caller, logical_key, protocol_version, operation, target, artifact_hash,
                  owner_binding, run_id, replay_key, order_id, token, consumed_at)
          SELECT pool, caller, hashed(logical_key), ?, ?, hold_id, ?, pseudonym, pool, replay_key,
                 hashed(order_id), token, sold_at
            FROM sale
          RETURNING 1),
      committed AS (
          INSERT INTO commitment
                 (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                  price_cents, currency, committed_at)
          SELECT pool, 'lot', hold_id, fence, caller, requester, order_id, logical_key,
                 amount_cents, currency, sold_at
            FROM sale
          RETURNING 1),
      to_settle AS (
          INSERT INTO outbox (pool, hold_id, topic) SELECT pool, hold_id, 'settle' FROM sale
          RETURNING 1),
      event AS (
          INSERT INTO event_fresh (pool, type, subject, data)
          SELECT pool, 'hold.confirmed', hold_id, '' FROM sale
          RETURNING 1)
      SELECT written_as_read(
                 ARRAY[(SELECT count(*) FROM sold), (SELECT count(*) FROM confirmed),
                       (SELECT count(*) FROM consumed), (SELECT count(*) FROM committed),
                       (SELECT count(*) FROM to_settle), (SELECT count(*) FROM event)],
                 ARRAY[1, 1, 1, 1, 1, 1]::bigint[])
      """;

  private static final String RELEASE =
      """
      WITH released AS (
          UPDATE hold
             SET state = 'RELEASED',
                 ended_at = greatest(to_timestamp(?::float8 / 1000), placed_at)
           WHERE pool = ? AND state = 'HELD' AND fence <= ? AND amount_cents IS NOT NULL
          RETURNING *),
      to_settle AS (
          INSERT INTO outbox (pool, hold_id, topic) SELECT pool, hold_id, 'settle' FROM released)
      SELECT * FROM released ORDER BY fence
      """;

  private static final String RESULT =
      """
      UPDATE auction
         SET closed_at = to_timestamp(?::float8 / 1000), last_sequence = ?, bids = ?,
             winner_hold_id = ?, decided_at = clock_timestamp(),
             redis_losses = (SELECT count(*) FROM fence_epoch e
                              WHERE e.pool = auction.pool AND e.cause <> 'FIRST')
       WHERE pool = ? AND closed_at IS NULL
      """;

  private final Pool pool;
  private final ArtifactHash artifact;
  private final EventWriter events;

  AuctionSale(Pool pool, ArtifactHash artifact, EventWriter events) {
    this.pool = pool;
    this.artifact = artifact;
    this.events = events;
  }

  /// @throws AuctionNotDrained if bids may be missing here
  @Override
  public void commit(Connection connection, List<AuctionClose> entries) throws SQLException {
    var close = entries.getLast();
    if (isClosed(connection)) {
      return;
    }
    refuseUnlessDrained(connection, close);
    var winner = winner(connection, close);
    if (winner != null) {
      sell(connection, close, winner);
    }
    var others = release(connection, close);
    writeResult(connection, close, winner, others.size() + (winner == null ? 0 : 1));
    HoldEvents.insertEnded(connection, name(), others);
    var auction = AuctionTable.find(connection, name()).orElseThrow();
    events.append(connection, List.of(AuctionEvents.closed(auction, pool.policy().currency())));
  }

  /// A result is the end of every close of the auction.
  @Override
  public Set<Long> committed(Connection connection, List<AuctionClose> entries)
      throws SQLException {
    var hasResult =
        AuctionTable.find(connection, name()).filter(each -> each.result() != null).isPresent();
    return hasResult
        ? entries.stream().map(AuctionClose::sequence).collect(Collectors.toSet())
        : Set.of();
  }

  private boolean isClosed(Connection connection) throws SQLException {
    var closedAt = new ArrayList<@Nullable String>();
    try (var run = StatementRun.of(connection, LOCK)) {
      run.text(name().value()).execute().take(row -> closedAt.add(row.getString(1)));
    }
    return closedAt.getFirst() != null;
  }

  /// The epoch cannot rise before the commit.
  private void refuseUnlessDrained(Connection connection, AuctionClose close) throws SQLException {
    if (!EpochCheck.isPresent(connection, name(), close.epoch())) {
      throw AuctionNotDrained.epochIsOver(name());
    }
    try (var run = StatementRun.of(connection, IS_DRAINED)) {
      run.text(name().value())
          .number(close.epoch().value())
          .number(close.closedAt().toEpochMilli());
      if (run.execute().take(_ -> {}) == 0) {
        throw AuctionNotDrained.linesAreMissing(name());
      }
    }
  }

  private @Nullable HoldRecord winner(Connection connection, AuctionClose close)
      throws SQLException {
    var found = new ArrayList<HoldRecord>();
    try (var run = StatementRun.of(connection, WINNER)) {
      run.text(name().value()).number(close.sequence());
      run.execute().take(row -> found.add(HoldRows.record(row)));
    }
    return found.isEmpty() ? null : found.getFirst();
  }

  private void sell(Connection connection, AuctionClose close, HoldRecord winner)
      throws SQLException {
    var id = winner.id(name()).toString();
    var key = "hold:" + id;
    var owner = ReplayKey.owner(winner.caller(), winner.requester());
    var replayKey =
        new ReplayKey(
            ReplayKey.PROTOCOL,
            key,
            ReplayKey.OPERATION,
            id,
            artifact.hash(),
            owner,
            name().value());
    try (var run = StatementRun.of(connection, SELL)) {
      run.text(key)
          .bytes(replayKey.hashText())
          .text(pool.policy().currency())
          .number(close.closedAt().toEpochMilli())
          .text(name().value())
          .text(id)
          .text(ReplayKey.PROTOCOL)
          .text(ReplayKey.OPERATION)
          .text(artifact.hash())
          .execute();
    }
  }

  private List<HoldRecord> release(Connection connection, AuctionClose close) throws SQLException {
    var released = new ArrayList<HoldRecord>();
    try (var run = StatementRun.of(connection, RELEASE)) {
      run.number(close.closedAt().toEpochMilli()).text(name().value()).number(close.sequence());
      run.execute().take(row -> released.add(HoldRows.record(row)));
    }
    return released;
  }

  private void writeResult(
      Connection connection, AuctionClose close, @Nullable HoldRecord winner, int bids)
      throws SQLException {
    try (var run = StatementRun.of(connection, RESULT)) {
      run.number(close.closedAt().toEpochMilli())
          .number(close.sequence())
          .number(bids)
          .text(winner == null ? null : winner.id(name()).toString())
          .text(name().value())
          .execute();
    }
  }

  private PoolName name() {
    return pool.name();
  }
}
