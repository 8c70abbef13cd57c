package io.holdfast.hold.pin;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.seeding.ItemEntries;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// The arguments of `redis-scripts/hold/settle.lua`: the end of a hold, the state of its items, and
/// the outcome of the token.
///
/// @param ended the hold at its end, or null if it has not ended
/// @param entries item and value by turns, as Redis stores them
/// @param live how many items or units of the sale are not voided; null if that is not known or
///   nothing was sold
public record SettleCommand(
    PoolName pool,
    Fence fence,
    @Nullable HoldRecord ended,
    @Nullable TokenResult token,
    List<String> entries,
    @Nullable Integer live) {

  private SettleCommand(
      PoolName pool,
      Fence fence,
      @Nullable HoldRecord ended,
      @Nullable TokenResult token,
      List<String> entries) {
    this(pool, fence, ended, token, entries, null);
  }

  /// @param left how long the outcome is still replayed
  public record TokenResult(IdempotentRequest call, StoredOutcome outcome, Duration left) {}

  public static SettleCommand ofRefusal(PoolName pool, Fence fence, TokenResult token) {
    return new SettleCommand(pool, fence, null, token, List.of());
  }

  static SettleCommand ofEnd(PoolName pool, HoldRecord ended, TokenResult token) {
    return new SettleCommand(pool, ended.fence(), ended, token, List.of());
  }

  public static SettleCommand ofSale(
      PoolName pool, HoldRecord ended, @Nullable TokenResult token, List<ItemVersion> items) {
    var states = items.stream().map(item -> item.with(Status.SOLD)).toList();
    var live = ended.items().size();
    return new SettleCommand(pool, ended.fence(), ended, token, ItemEntries.of(states), live);
  }

  /// The number of items that the script writes, for the estimate of its duration.
  public int items() {
    return entries.size() / 2 + (ended == null ? 0 : ended.items().size());
  }

  /// In the order of the script's header.
  public String[] texts() {
    var hasToken = token != null;
    return new String[] {
      hasToken ? token.call.caller() : "",
      hasToken ? token.call.token().value() : "",
      hasToken ? token.call.digest().value() : "",
      hasToken ? Long.toString(Math.max(0, token.left.toMillis())) : "0",
      hasToken ? token.call.action().word() : "",
      hasToken ? OutcomeCodec.format(token.outcome) : "",
      fence.toString(),
      ended == null ? "" : ended.format(),
      lines()
    };
  }

  /// Each item with a tab and its value; in front of them, without a name, what is left of the
  /// sale.
  private String lines() {
    var lines = new StringJoiner("\n");
    if (live != null) {
      lines.add("\t" + live);
    }
    for (var i = 0; i < entries.size(); i += 2) {
      lines.add(entries.get(i) + "\t" + entries.get(i + 1));
    }
    return lines.toString();
  }
}
