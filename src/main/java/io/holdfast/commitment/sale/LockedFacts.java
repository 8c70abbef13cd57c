package io.holdfast.commitment.sale;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All that Postgres knows about one request to sell, read while everything it could change is
/// locked.
///
/// @param now Postgres' clock after the locks, in whole milliseconds
/// @param epoch of the pool, which cannot rise meanwhile; null if the request has no pin
/// @param token what the token was spent on within its window
/// @param consumed by what the logical key was consumed
/// @param hold as its row is
/// @param verified what the second look at its sale has shown; null if nobody has looked
/// @param items those of the pinned hold that exist
public record LockedFacts(
    Instant now,
    @Nullable Epoch epoch,
    @Nullable SpentToken token,
    @Nullable Consumed consumed,
    @Nullable HoldRecord hold,
    @Nullable Boolean verified,
    @Nullable Nonce nonce,
    List<Item> items) {

  /// What is so as a rule for a hold that is pinned: nobody has sold it, under this token or any
  /// other, its items are free, and Redis lives on. Whoever writes on this assumption has to write
  /// under all conditions, and to look if that fails.
  static LockedFacts assumed(Pinned pinned) {
    var items =
        pinned.hold().items().stream()
            .map(item -> new Item(item, Status.FREE, 0, null, null))
            .toList();
    return new LockedFacts(
        pinned.hold().placedAt(), pinned.epoch(), null, null, null, null, null, items);
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
      @Nullable Instant claimUntil) {}
}
