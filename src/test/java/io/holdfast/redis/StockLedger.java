package io.holdfast.redis;

import module java.base;

/// What Postgres decides about a pool of units, in the order of the versions of its stock. Redis is
/// told of every decision, at any time and any number of times.
final class StockLedger {
  final long capacity;
  final List<Decision> decisions = new ArrayList<>();
  private final Set<Long> decided = new HashSet<>();
  private long version;
  private long sold;

  StockLedger(long capacity) {
    this.capacity = capacity;
  }

  /// @param record of the hold at its end; empty if the decision ends no hold
  /// @param units of the hold that were sold
  /// @param stock the entry of the pool, or nothing
  record Decision(long fence, String record, long units, long version, long sold, String stock) {
    boolean hasRecord() {
      return !record.isEmpty();
    }

    boolean hasStock() {
      return !stock.isEmpty();
    }

    /// The argument of the script.
    String items() {
      return hasStock() ? "stock\t" + stock : "";
    }
  }

  /// Only a pinned hold that is not decided can be sold.
  void sell(ModelHold hold, int units, long now) {
    version++;
    sold += units;
    decide(hold, hold.textAt("CONFIRMED", now, units), units, entry());
  }

  void release(ModelHold hold, long now, boolean isStockTold) {
    var record = hold.textAt("RELEASED", now, hold.wish.quantity());
    decide(hold, record, 0, isStockTold ? entry() : "");
  }

  private void decide(ModelHold hold, String record, long units, String stock) {
    decided.add(hold.fence);
    decisions.add(new Decision(hold.fence, record, units, version, sold, stock));
  }

  void reverse(long units) {
    version++;
    sold -= Math.min(units, sold);
    decisions.add(new Decision(1, "", 0, version, sold, entry()));
  }

  boolean isDecided(ModelHold hold) {
    return decided.contains(hold.fence);
  }

  /// Units of this hold that are sold by this version of the stock.
  long soldOf(ModelHold hold, long upTo) {
    return decisions.stream()
        .filter(decision -> decision.fence() == hold.fence && decision.version() <= upTo)
        .mapToLong(Decision::units)
        .sum();
  }

  String entry() {
    return "%d %d/%d".formatted(version, sold, capacity);
  }

  long version() {
    return version;
  }

  long sold() {
    return sold;
  }
}
