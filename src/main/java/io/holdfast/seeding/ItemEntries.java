package io.holdfast.seeding;

import io.holdfast.commitment.ItemState;
import java.util.ArrayList;
import java.util.List;

/// Writes the states of items as Redis stores them.
public final class ItemEntries {
  private ItemEntries() {}

  /// Returns item and value by turns, the arguments of scripts.
  public static List<String> of(List<ItemState> items) {
    var entries = new ArrayList<String>(2 * items.size());
    for (var item : items) {
      entries.add(item.item().value());
      entries.add(value(item));
    }
    return entries;
  }

  /// The value is the version, followed by the status unless the item is free. That of a stock is
  /// the version, the sold units and the capacity.
  private static String value(ItemState item) {
    var stock = item.stock();
    if (stock != null) {
      return "%d %d/%d".formatted(stock.version(), stock.sold(), stock.capacity());
    }
    return switch (item.status()) {
      case FREE -> Long.toString(item.version());
      case CLAIMED -> item.version() + " CLAIMED";
      case SOLD -> item.version() + " SOLD";
      case BLOCKED -> item.version() + " BLOCKED";
    };
  }
}
