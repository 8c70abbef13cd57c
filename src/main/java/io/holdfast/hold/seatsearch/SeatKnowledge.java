package io.holdfast.hold.seatsearch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What this instance knows of the seats of a pool: which seats were taken in a known state of the
/// pool. New holds only add taken seats, and Redis returns the seats that became free since that
/// state. Any other seat may be free. The lock of this object also guards the sections.
final class SeatKnowledge {
  private final Map<String, Integer> numbers;
  private final List<SeatSection> sections = new ArrayList<>();
  private final BitSet taken = new BitSet();

  /// Seats that were read. One that was free then may be taken by now.
  private final BitSet seen = new BitSet();

  /// Seats that a running call tries to get.
  private final BitSet reserved = new BitSet();

  private long epoch = -1;
  private long freed;
  private @Nullable CompletableFuture<Void> walk;

  /// @param numbers of the seats by their names
  SeatKnowledge(Map<String, Integer> numbers) {
    this.numbers = numbers;
  }

  void add(SeatSection section) {
    sections.add(section);
  }

  /// In the form of the script; empty if nothing is known.
  String state() {
    return epoch < 0 ? "" : epoch + " " + freed;
  }

  /// The information in the reply of a call.
  ///
  /// @param state of the pool when the call was decided
  /// @param freed names of the seats that became free since the state that the call has sent,
  ///   divided by line feeds; empty if that is unknown
  /// @param held names of the seats that the call has held
  record Update(String state, String freed, List<Range> ranges, List<String> held) {}

  /// Seats of one row.
  ///
  /// @param bits 1 for each seat that is not free
  record Range(int from, String bits) {}

  /// Applies an update, unless it is older than the known state: then its taken seats may be free
  /// by now. Returns whether it contained something new.
  synchronized boolean learn(Update update) {
    var blank = update.state.indexOf(' ');
    var epochThen = Long.parseLong(update.state, 0, blank, 10);
    var freedThen = Long.parseLong(update.state, blank + 1, update.state.length(), 10);
    if (epochThen < epoch || (epochThen == epoch && freedThen < freed)) {
      return false;
    }
    var isNew = epochThen != epoch || freedThen != freed;
    if (isNew) {
      moveTo(update, epochThen, freedThen);
    }
    for (var range : update.ranges) {
      isNew |= markSeen(range);
    }
    for (var name : update.held) {
      isNew |= markSeen(new Range(numbers.get(name), "1"));
    }
    return isNew;
  }

  private void moveTo(Update update, long epochThen, long freedThen) {
    var since = update.freed.isEmpty() ? List.<String>of() : List.of(update.freed.split("\n"));
    var missed = freedThen - freed;
    if (epochThen == epoch && missed <= since.size()) {
      since.subList(since.size() - (int) missed, since.size()).forEach(this::free);
    } else {
      taken.clear();
      seen.clear();
      sections.forEach(SeatSection::forget);
    }
    epoch = epochThen;
    freed = freedThen;
  }

  private void free(String name) {
    var number = numbers.get(name);
    if (number != null && taken.get(number)) {
      taken.clear(number);
      sections.forEach(section -> section.changed(number));
    }
  }

  private boolean markSeen(Range range) {
    var end = range.from + range.bits.length();
    var isNew = seen.nextClearBit(range.from) < end;
    seen.set(range.from, end);
    var hasChanged = false;
    for (var i = range.bits.indexOf('1'); i >= 0; i = range.bits.indexOf('1', i + 1)) {
      hasChanged |= !taken.get(range.from + i);
      taken.set(range.from + i);
    }
    if (hasChanged) {
      sections.forEach(section -> section.changed(range.from));
    }
    return isNew || hasChanged;
  }

  /// The first seat from here on that is not known as taken.
  ///
  /// @param isShared whether seats reserved for other calls count as free
  int nextFree(int from, boolean isShared) {
    var seat = taken.nextClearBit(from);
    while (!isShared && reserved.get(seat)) {
      seat = taken.nextClearBit(reserved.nextClearBit(seat));
    }
    return seat;
  }

  /// The first taken seat from here on.
  int nextTaken(int from, int end, boolean isShared) {
    var seat = next(taken, from, end);
    return isShared ? seat : Math.min(seat, next(reserved, from, end));
  }

  boolean areSeen(int from, int until) {
    return seen.nextClearBit(from) >= until;
  }

  boolean hasReserved(int from, int until) {
    return next(reserved, from, until) < until;
  }

  void reserve(int from, int until) {
    reserved.set(from, until);
  }

  synchronized void unreserve(int from, int until) {
    reserved.clear(from, until);
  }

  /// Starts a walk, a call with many seats. Only one runs at a time; the others wait for what it
  /// learns.
  ///
  /// @return the end of the running walk, or null if there was none
  synchronized @Nullable CompletableFuture<Void> beginWalk() {
    if (walk != null) {
      return walk;
    }
    walk = new CompletableFuture<>();
    return null;
  }

  void endWalk() {
    CompletableFuture<Void> ended;
    synchronized (this) {
      ended = walk;
      walk = null;
    }
    if (ended != null) {
      ended.complete(null);
    }
  }

  private static int next(BitSet seats, int from, int end) {
    var seat = seats.nextSetBit(from);
    return seat < 0 ? end : Math.min(seat, end);
  }
}
