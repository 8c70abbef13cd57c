package io.holdfast.hold.pin;

import io.holdfast.commitment.ItemVersion;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// What Redis is told of a decision of Postgres: how the hold ended, how its items stand, and what
/// is kept under the token that asked.
///
/// @param ended the hold at its end, or null if it has not ended
/// @param entries item and value by turns, as Redis keeps them
public record SettleCommand(
    PoolName pool,
    Fence fence,
    @Nullable HoldRecord ended,
    @Nullable Said said,
    List<String> entries) {

  /// @param left how long the outcome is still replayed
  public record Said(IdempotentRequest call, TokenAction action, String outcome, Duration left) {}

  /// Nothing but the outcome of a call.
  public static SettleCommand ofRefusal(PoolName pool, Fence fence, Said said) {
    return new SettleCommand(pool, fence, null, said, List.of());
  }

  static SettleCommand ofEnd(PoolName pool, HoldRecord ended, @Nullable Said said) {
    return new SettleCommand(pool, ended.fence(), ended, said, List.of());
  }

  public static SettleCommand ofSale(
      PoolName pool, HoldRecord ended, @Nullable Said said, List<ItemVersion> items) {
    var entries = new ArrayList<String>(2 * items.size());
    for (var item : items) {
      entries.add(item.item().value());
      entries.add(item.version() + " SOLD");
    }
    return new SettleCommand(pool, ended.fence(), ended, said, entries);
  }

  /// How many it is about.
  public int items() {
    return entries.size() / 2 + (ended == null ? 0 : ended.items().size());
  }

  /// In the order of `redis-scripts/hold/settle.lua`.
  public String[] texts() {
    var isSaid = said != null;
    return new String[] {
      isSaid ? said.call.caller() : "",
      isSaid ? said.call.token().value() : "",
      isSaid ? said.call.digest().value() : "",
      isSaid ? Long.toString(Math.max(0, said.left.toMillis())) : "0",
      isSaid ? said.action.word() : "",
      isSaid ? said.outcome : "",
      fence.toString(),
      ended == null ? "" : ended.format(),
      lines(entries)
    };
  }

  /// Each item with a tab and its value.
  private static String lines(List<String> entries) {
    var lines = new StringJoiner("\n");
    for (var i = 0; i < entries.size(); i += 2) {
      lines.add(entries.get(i) + "\t" + entries.get(i + 1));
    }
    return lines.toString();
  }
}
