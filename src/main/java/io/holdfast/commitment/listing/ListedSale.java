package io.holdfast.commitment.listing;

import io.holdfast.pool.HoldId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A sale as its commitments have it.
///
/// @param metadata of its hold, as it is stored
record ListedSale(
    HoldId hold,
    String caller,
    String requester,
    String orderId,
    String currency,
    Instant committedAt,
    String metadata,
    List<Item> items) {

  /// @param voidedAt null while it is sold
  record Item(String name, long cents, @Nullable Instant voidedAt) {
    boolean isVoided() {
      return voidedAt != null;
    }
  }

  /// How much of a sale is voided.
  enum State {
    SOLD,
    PARTLY_VOIDED,
    VOIDED
  }

  ListedSale {
    items = List.copyOf(items);
  }

  String commitmentId() {
    return "cm~" + hold;
  }

  State state() {
    var voided = items.stream().filter(Item::isVoided).count();
    if (voided == 0) {
      return State.SOLD;
    }
    return voided == items.size() ? State.VOIDED : State.PARTLY_VOIDED;
  }

  long cents() {
    return items.stream().mapToLong(Item::cents).sum();
  }

  long voidedCents() {
    return items.stream().filter(Item::isVoided).mapToLong(Item::cents).sum();
  }
}
