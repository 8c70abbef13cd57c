package io.holdfast.hold;

import java.util.Arrays;
import java.util.BitSet;

/// What is thought of the seats of a row. It may be wrong: whoever is sent to a place looks first.
final class RowGuess {
  private final int size;
  private final BitSet gone = new BitSet();
  private final BitSet given = new BitSet();

  /// Before this seat, there is no good place for so many.
  private final int[] start;

  RowGuess(int size) {
    this.size = size;
    this.start = new int[size + 1];
  }

  /// Where so many fit without leaving a seat alone and nobody is sent yet, or -1.
  int place(int count) {
    if (count > size) {
      return -1;
    }
    var from = free(start[count]);
    while (from < size) {
      var until = busy(from);
      if (until - from == count || until - from >= count + 2) {
        return from;
      }
      from = free(until);
    }
    return -1;
  }

  boolean isAwaited() {
    return !given.isEmpty();
  }

  void give(int from, int until) {
    given.set(from, until);
  }

  void takeBack(int from, int until) {
    given.clear(from, until);
  }

  /// @param first free seat of the part, counted from its start
  /// @param longest row of free seats in it
  /// @param count that were looked for
  void sawNone(Part part, int first, int longest, int count) {
    see(part, first, longest);
    var isToItsEnd = part.until() == size;
    var next = isToItsEnd ? size : Math.max(part.from() + 1, part.until() - count - 1);
    start[count] = Math.max(start[count], next);
  }

  /// @param chosen the first of those that were taken
  void sawTaken(Part part, int first, int longest, int count, int chosen) {
    see(part, first, longest);
    if (chosen > part.from()) {
      start[count] = Math.max(start[count], chosen);
    }
    gone.set(chosen, chosen + count);
  }

  private void see(Part part, int first, int longest) {
    if (part.from() == 0 && part.until() == size) {
      gone.clear();
      Arrays.fill(start, 0);
      Arrays.fill(start, longest + 1, size + 1, size);
    }
    gone.set(part.from(), part.from() + first);
  }

  private int free(int from) {
    var seat = gone.nextClearBit(from);
    while (given.get(seat)) {
      seat = gone.nextClearBit(given.nextClearBit(seat));
    }
    return seat;
  }

  private int busy(int from) {
    return Math.min(next(gone, from), next(given, from));
  }

  private int next(BitSet seats, int from) {
    var seat = seats.nextSetBit(from);
    return seat < 0 ? size : seat;
  }
}
