package io.holdfast.commitment.sale;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.StockLevel;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
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
public record LockedFacts(
    Instant now,
    @Nullable Epoch epoch,
    @Nullable SpentToken token,
    @Nullable Consumed consumed,
    @Nullable HoldRecord hold,
    @Nullable Boolean verified,
    @Nullable Nonce nonce,
    List<Item> items,
    @Nullable StockLevel stock) {

  /// The usual facts on a pinned hold: token and logical key are unused, the items are free, and
  /// the epoch is current. A transaction that assumes them must write with all conditions, and must
  /// read the facts if a condition fails.
  ///
  /// @param stock as it was last seen
  static LockedFacts assumed(Pinned pinned, @Nullable StockLevel stock) {
    var items = pinned.hold().items().stream().map(Item::free).toList();
    return new LockedFacts(
        pinned.hold().placedAt(), pinned.epoch(), null, null, null, null, null, items, stock);
  }

  /// @param digest with the name of its function in front
  public record SpentToken(TokenAction action, String digest, StoredOutcome outcome) {}

  record Consumed(String target, String orderId, String owner) {}

  record Nonce(
      String holdId, String operation, Instant notBefore, Instant notAfter, boolean isConsumed) {}

  /// @param claimUntil of an item that is claimed
  record Item(
      ItemId item,
      Status status,
      long fence,
      @Nullable String holder,
      @Nullable Instant claimUntil) {

    static Item free(ItemId item) {
      return new Item(item, Status.FREE, 0, null, null);
    }
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
                stock.version(), stock.capacity(), stock.sold(), stock.claimed() + units));
  }
}
