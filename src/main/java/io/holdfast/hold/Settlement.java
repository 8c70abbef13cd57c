package io.holdfast.hold;

import io.holdfast.commitment.ItemState;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.pool.Action;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What Redis is told of a decision of Postgres: how the hold ended, how its items stand, and what
/// is kept under the token that asked.
///
/// @param ended the hold at its end, or null if it has not ended
/// @param entries item and value by turns, as Redis keeps them
record Settlement(
    PoolName pool,
    Fence fence,
    @Nullable HoldRecord ended,
    @Nullable Said said,
    List<String> entries) {

  /// @param left how long the outcome is still replayed
  record Said(TokenCall call, Action action, String outcome, Duration left) {}

  /// Nothing but the outcome of a call.
  static Settlement ofRefusal(PoolName pool, Fence fence, Said said) {
    return new Settlement(pool, fence, null, said, List.of());
  }

  static Settlement ofEnd(PoolName pool, HoldRecord ended, @Nullable Said said) {
    return new Settlement(pool, ended.fence(), ended, said, List.of());
  }

  static Settlement ofSale(
      PoolName pool, HoldRecord ended, @Nullable Said said, List<ItemVersion> items) {
    var entries = new ArrayList<String>(2 * items.size());
    for (var item : items) {
      entries.add(item.item().value());
      entries.add(item.version() + " SOLD");
    }
    return new Settlement(pool, ended.fence(), ended, said, entries);
  }

  /// Item and value by turns, as scripts take them.
  static List<String> entries(List<ItemState> items) {
    var entries = new ArrayList<String>(2 * items.size());
    for (var item : items) {
      entries.add(item.item().value());
      entries.add(value(item));
    }
    return entries;
  }

  /// How an item is written in Redis: nothing stands behind the version of one that is free.
  private static String value(ItemState item) {
    return switch (item.status()) {
      case FREE -> Long.toString(item.version());
      case CLAIMED -> item.version() + " CLAIMED";
      case SOLD -> item.version() + " SOLD";
    };
  }

  String tokenKey() {
    return said == null ? pool.key("tok:") : said.call.tokenKey();
  }

  /// In the order of `redis-scripts/hold/settle.lua`.
  String[] arguments() {
    var all = new ArrayList<String>(7 + entries.size());
    if (said == null) {
      all.addAll(List.of("", "", "", "0", "", ""));
    } else {
      all.add(said.call.caller());
      all.add(said.call.token().value());
      all.add(said.call.digest().value());
      all.add(Long.toString(Math.max(0, said.left.toMillis())));
      all.add(said.action.word());
      all.add(said.outcome);
    }
    all.add(ended == null ? "" : ended.format());
    all.addAll(entries);
    return all.toArray(String[]::new);
  }
}
