package io.holdfast.commitment.auction;

import io.holdfast.commitment.auction.Auction.Result;
import io.holdfast.commitment.auction.Auction.Winner;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the table of auctions, and marks those that the operator closes. `AuctionSale` writes the
/// result.
@Singleton
public final class AuctionTable {
  private static final String FIND =
      """
      SELECT a.*, a.closes_at <= clock_timestamp() AS is_over, h.requester, h.amount_cents, h.fence
        FROM auction a LEFT JOIN hold h ON h.pool = a.pool AND h.hold_id = a.winner_hold_id
       WHERE a.pool = ?
      """;

  private static final String DUE =
      """
      SELECT pool FROM auction
       WHERE closed_at IS NULL
         AND (closes_at <= clock_timestamp() OR closing_since IS NOT NULL)
       ORDER BY closes_at
       LIMIT ?
      """;

  private static final String REQUEST_CLOSE =
      """
      UPDATE auction SET closing_since = clock_timestamp()
       WHERE pool = ? AND closing_since IS NULL AND closed_at IS NULL
      """;

  private static final String LOCK_SALE =
      """
      SELECT 1 FROM auction WHERE pool = ? FOR UPDATE;
      SELECT 1 FROM commitment WHERE pool = ? AND hold_id = ? AND voided_at IS NULL
      """;

  private static final String SOLD_TO =
      """
      SELECT 1 FROM commitment
       WHERE pool = ? AND hold_id = ? AND requester = ? AND voided_at IS NULL
      """;

  private final Transactions transactions;

  public AuctionTable(Transactions transactions) {
    this.transactions = transactions;
  }

  public Optional<Auction> find(PoolName pool) {
    return transactions.read(connection -> find(connection, pool));
  }

  static Optional<Auction> find(Connection connection, PoolName pool) throws SQLException {
    var found = new ArrayList<Auction>();
    try (var run = StatementRun.of(connection, FIND)) {
      run.text(pool.value()).execute().take(row -> found.add(auction(row)));
    }
    return found.stream().findFirst();
  }

  /// Whether no more bids are taken, whatever the clock says.
  public boolean isClosing(PoolName pool) {
    return find(pool).map(auction -> auction.isClosing() || auction.result() != null).orElse(false);
  }

  /// Auctions whose time has come, or that the operator closes, and that have no result yet.
  public List<PoolName> due(int limit) {
    return transactions.read(
        connection -> {
          var names = new ArrayList<PoolName>();
          try (var run = StatementRun.of(connection, DUE)) {
            run.number(limit).execute().take(row -> names.add(new PoolName(row.getString(1))));
          }
          return names;
        });
  }

  /// From now on every instance closes the auction, also if this one dies.
  public void requestClose(PoolName pool) {
    transactions.write(
        connection -> {
          try (var run = StatementRun.of(connection, REQUEST_CLOSE)) {
            return run.text(pool.value()).execute().take(_ -> {});
          }
        });
  }

  /// Locks the auction of a pool, if it has one, and returns whether this bid has its lot. A void
  /// and the start of a checkout of one bid wait for each other here.
  public static boolean lockSale(Connection connection, HoldId bid) throws SQLException {
    try (var run = StatementRun.of(connection, LOCK_SALE)) {
      run.text(bid.pool().value()).text(bid.pool().value()).text(bid.toString());
      return run.execute().skip().take(_ -> {}) == 1;
    }
  }

  /// The same for a start of a checkout by this person, to whom the bid must still belong. The key
  /// is locked first, so a shredding either waits for the checkout, or has replaced the buyer.
  public static boolean lockSaleTo(Connection connection, HoldId bid, DataSubject buyer)
      throws SQLException {
    SubjectKeys.lock(connection, buyer);
    return lockSale(connection, bid) && isSoldTo(connection, bid, buyer);
  }

  private static boolean isSoldTo(Connection connection, HoldId bid, DataSubject buyer)
      throws SQLException {
    try (var run = StatementRun.of(connection, SOLD_TO)) {
      run.text(bid.pool().value()).text(bid.toString()).text(buyer.requester());
      return run.execute().take(_ -> {}) == 1;
    }
  }

  private static Auction auction(ResultSet row) throws SQLException {
    return new Auction(
        new PoolName(row.getString("pool")),
        ArrayBinder.moment(row, "closes_at"),
        row.getLong("reserve_cents"),
        row.getString("closing_since") != null,
        row.getBoolean("is_over"),
        row.getString("closed_at") == null ? null : result(row));
  }

  private static Result result(ResultSet row) throws SQLException {
    return new Result(
        ArrayBinder.moment(row, "closed_at"),
        row.getLong("last_sequence"),
        row.getLong("bids"),
        row.getLong("redis_losses"),
        winner(row));
  }

  private static @Nullable Winner winner(ResultSet row) throws SQLException {
    var bid = row.getString("winner_hold_id");
    return bid == null
        ? null
        : new Winner(
            bid, row.getString("requester"), row.getLong("amount_cents"), row.getLong("fence"));
  }
}
