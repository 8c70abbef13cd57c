package io.holdfast.load;

/// Where the seat of a number is: in which pool, and which item of it.
public interface Seats {
  long pool(long number);

  long item(long number);

  /// One pool after the other.
  static Seats inOrder(long itemsPerPool) {
    return new Seats() {
      @Override
      public long pool(long number) {
        return number / itemsPerPool;
      }

      @Override
      public long item(long number) {
        return number % itemsPerPool;
      }
    };
  }

  /// All pools by turns.
  static Seats byTurns(long pools) {
    return new Seats() {
      @Override
      public long pool(long number) {
        return number % pools;
      }

      @Override
      public long item(long number) {
        return number / pools;
      }
    };
  }

  /// So many pools by turns, and when their items are used up, as many further pools.
  static Seats byTurnsInOrder(long pools, long itemsPerPool) {
    var group = pools * itemsPerPool;
    return new Seats() {
      @Override
      public long pool(long number) {
        return number / group * pools + number % pools;
      }

      @Override
      public long item(long number) {
        return number % group / pools;
      }
    };
  }

  /// No others than the `count` seats from `first` on, again and again.
  default Seats only(long first, long count) {
    var all = this;
    return new Seats() {
      @Override
      public long pool(long number) {
        return all.pool(first + number % count);
      }

      @Override
      public long item(long number) {
        return all.item(first + number % count);
      }
    };
  }
}
