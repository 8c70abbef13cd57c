package io.holdfast.hold.seatsearch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What this instance knows of the seats of a pool. In the state that it shows to Redis, every seat
/// that it knows as taken is taken: holds that are placed only add to them, and Redis tells which
/// seats have become free since. Any other seat may be free. Its lock also guards the sections.
final class SeatKnowledge {
  private final Map<String, Integer> numbers;
  private final List<SeatSection> sections = new ArrayList<>();
  private final BitSet taken = new BitSet();

  /// Seats that were looked at. Whether one that was free then is still free is not known.
  private final BitSet seen = new BitSet();

  /// Seats that a call under way should get.
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

  /// As the script writes it; empty if nothing is known.
  String state() {
    return epoch < 0 ? "" : epoch + " " + freed;
  }

  /// What a call has seen.
  ///
  /// @param state of the pool when the call was decided
  /// @param freed names of the seats that became free since the state that the call has shown,
  ///   divided by line feeds; empty if that is unknown
  /// @param held names of the seats that the call has got
  record Look(String state, String freed, List<Range> ranges, List<String> held) {}

  /// Seats of one row.
  ///
  /// @param bits 1 for each seat that is not free
  record Range(int from, String bits) {}

  /// Takes over what a call has seen, unless that is older than what is known: then seats that were
  /// taken may be free by now. Answers whether something was new.
  synchronized boolean learn(Look look) {
    var blank = look.state.indexOf(' ');
    var epochThen = Long.parseLong(look.state, 0, blank, 10);
    var freedThen = Long.parseLong(look.state, blank + 1, look.state.length(), 10);
    if (epochThen < epoch || (epochThen == epoch && freedThen < freed)) {
      return false;
    }
    var isNew = epochThen != epoch || freedThen != freed;
    if (isNew) {
      catchUp(look, epochThen, freedThen);
    }
    for (var range : look.ranges) {
      isNew |= see(range);
    }
    for (var name : look.held) {
      isNew |= see(new Range(numbers.get(name), "1"));
    }
    return isNew;
  }

  private void catchUp(Look look, long epochThen, long freedThen) {
    var since = look.freed.isEmpty() ? List.<String>of() : List.of(look.freed.split("\n"));
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

  private boolean see(Range range) {
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

  /// Where the next seats begin that are not known as taken.
  ///
  /// @param isShared also seats that another call should get
  int nextFree(int from, boolean isShared) {
    var seat = taken.nextClearBit(from);
    while (!isShared && reserved.get(seat)) {
      seat = taken.nextClearBit(reserved.nextClearBit(seat));
    }
    return seat;
  }

  /// Where they end.
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

  /// Begins a walk, which is a call that shows many seats. Only one is under way at a time: the
  /// others wait for what it sees.
  ///
  /// @return the end of the walk that is under way, or null if there was none
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
