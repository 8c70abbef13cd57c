package io.holdfast.commitment.sale;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.StockLevel;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The facts in Postgres on one request to sell, read while all rows that it can change are locked.
///
/// @param now Postgres' clock after the locks, in whole milliseconds
/// @param epoch of the pool, which cannot rise until the transaction ends; null if the request has
///   no pin
/// @param token the use of the token within its window
/// @param consumed the use of the logical key
/// @param hold its row
/// @param verified whether the sale of the hold has passed its verification; null if not verified
///   yet
/// @param items those of the pinned hold that exist; a unit or a value that was never claimed or
///   sold counts as free
/// @param stock of the pool; null if it has none, or the request has no pin
/// @param allowance of the requester; null in a pool without a limit
public record LockedFacts(
    Instant now,
    @Nullable Epoch epoch,
    @Nullable SpentToken token,
    @Nullable Consumed consumed,
    @Nullable HoldRecord hold,
    @Nullable Boolean verified,
    @Nullable Nonce nonce,
    List<Item> items,
    @Nullable StockLevel stock,
    @Nullable Allowance allowance) {

  /// The usual facts on a pinned hold: token and logical key are unused, the items are free, and
  /// the epoch is current. A transaction that assumes them must write with all conditions, and must
  /// read the facts if a condition fails.
  ///
  /// @param stock as it was last seen
  static LockedFacts assumed(Pinned pinned, @Nullable StockLevel stock) {
    var items = pinned.hold().items().stream().map(Item::free).toList();
    return new LockedFacts(
        pinned.hold().placedAt(), pinned.epoch(), null, null, null, null, null, items, stock, null);
  }

  /// What a requester may buy. Other sales to the same requester wait until the transaction ends.
  ///
  /// @param most items or units that the pool allows
  /// @param bought items or units of other sales that are not voided
  record Allowance(int most, long bought) {}

  /// @param digest with the name of its function in front
  public record SpentToken(TokenAction action, String digest, StoredOutcome outcome) {}

  /// @param isSameOrder whether it was consumed for the order of the request
  /// @param isOwner whether it was consumed by the requester
  record Consumed(String target, boolean isSameOrder, boolean isOwner) {}

  record Nonce(
      String holdId, String operation, Instant notBefore, Instant notAfter, boolean isConsumed) {

    /// Null if there is no such nonce.
    static @Nullable Nonce of(ResultSet row) throws SQLException {
      return row.getString("nonce_hold") == null
          ? null
          : new Nonce(
              row.getString("nonce_hold"),
              row.getString("operation"),
              ArrayBinder.moment(row, "not_before"),
              ArrayBinder.moment(row, "not_after"),
              row.getString("consumed_at") != null);
    }
  }

  /// @param claimUntil of an item that is claimed
  /// @param cents what it costs; it keeps this price while it is claimed or sold
  record Item(
      ItemId item,
      Status status,
      long fence,
      @Nullable String holder,
      @Nullable Instant claimUntil,
      long cents) {

    static Item free(ItemId item) {
      return new Item(item, Status.FREE, 0, null, null, 0);
    }

    Item costing(long other) {
      return new Item(item, status, fence, holder, claimUntil, other);
    }
  }

  /// What the items cost together.
  public long cents() {
    return items.stream().mapToLong(Item::cents).sum();
  }

  LockedFacts with(Allowance found) {
    return new LockedFacts(now, epoch, token, consumed, hold, verified, nonce, items, stock, found);
  }

  /// The same facts after another request of the transaction has taken units of the stock. The
  /// version is that of the row: the units of all requests are written together.
  public LockedFacts afterTaking(long units) {
    return new LockedFacts(
        now,
        epoch,
        token,
        consumed,
        hold,
        verified,
        nonce,
        items,
        stock == null
            ? null
            : new StockLevel(
                stock.version(), stock.capacity(), stock.sold(), stock.claimed() + units),
        allowance);
  }
}
