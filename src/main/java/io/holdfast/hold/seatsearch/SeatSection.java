package io.holdfast.hold.seatsearch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rows of a section or of a whole pool, best rows first. Concurrent searches get different
/// seats, so that each finds free ones.
final class SeatSection {
  private final SeatKnowledge knowledge;
  private final int[] starts;
  private final int[] ends;
  private final int longest;

  /// By number of seats: for each fit, the first row that may have room.
  private final Map<Integer, int[]> firstRows = new HashMap<>();

  /// @param starts number of the first seat of each row
  /// @param ends number after the last seat of each row
  SeatSection(SeatKnowledge knowledge, int[] starts, int[] ends) {
    this.knowledge = knowledge;
    this.starts = starts;
    this.ends = ends;
    var most = 0;
    for (var row = 0; row < starts.length; row++) {
      most = Math.max(most, ends[row] - starts[row]);
    }
    this.longest = most;
  }

  /// How the seats fit into a group of free seats, in the order of preference.
  private enum Fit {
    /// No single seat is left.
    GOOD,
    /// A single seat seems to be left, but not all seats of the group were read.
    UNSEEN,
    /// One single seat is left.
    TIGHT
  }

  /// A part of a row.
  ///
  /// @param isOpen whether the row continues after it
  record Part(int from, int until, boolean isOpen) {}

  /// The candidates of a call.
  ///
  /// @param known the state up to which freed seats are known
  /// @param manner GOOD, ANY or LAST, as the script defines them
  /// @param reserved seats that no other call gets as candidates until this one has ended
  record Candidates(String known, String manner, List<Part> parts, @Nullable Part reserved) {
    int seats() {
      return parts.stream().mapToInt(part -> part.until - part.from).sum();
    }
  }

  int longest() {
    return longest;
  }

  /// Returns the best candidates and more after them; no parts if there is no room in the known
  /// state. The caller has to release them.
  ///
  /// @param isShared whether seats reserved for other calls are candidates
  Candidates candidates(int wanted, int seatsMax, boolean isShared) {
    synchronized (knowledge) {
      for (var fit : Fit.values()) {
        var found = isShared ? null : candidates(fit, wanted, seatsMax, false);
        found = found == null ? candidates(fit, wanted, seatsMax, true) : found;
        if (found != null) {
          return found;
        }
      }
      return new Candidates(knowledge.state(), "LAST", List.of(), null);
    }
  }

  void release(Candidates candidates) {
    if (candidates.reserved != null) {
      knowledge.unreserve(candidates.reserved.from, candidates.reserved.until);
    }
  }

  /// The row of this seat has changed. A taken seat can also make room: of three free seats two are
  /// left that fit a request for two.
  void changed(int seat) {
    var found = Arrays.binarySearch(starts, seat);
    var row = found < 0 ? -found - 2 : found;
    if (row < 0 || seat >= ends[row]) {
      return;
    }
    firstRows.forEach(
        (wanted, rows) -> {
          for (var fit : Fit.values()) {
            if (rows[fit.ordinal()] > row && place(row, fit, wanted, true) >= 0) {
              rows[fit.ordinal()] = row;
            }
          }
        });
  }

  void forget() {
    firstRows.clear();
  }

  private @Nullable Candidates candidates(Fit fit, int wanted, int seatsMax, boolean isShared) {
    var first = firstRow(fit, wanted, isShared);
    if (first == starts.length) {
      return null;
    }
    var parts = new ArrayList<Part>();
    var left = seatsMax;
    for (var row = first; row < starts.length && left > 0; row++) {
      var from = place(row, fit, wanted, isShared);
      if (from >= 0) {
        var until = Math.min(ends[row], from + Math.max(left, wanted + 2));
        parts.add(new Part(from, until, until < ends[row]));
        left -= until - from;
      }
    }
    var manner = fit == Fit.TIGHT ? "ANY" : "GOOD";
    var reserved = isShared ? null : reserve(parts.getFirst().from, wanted);
    return new Candidates(knowledge.state(), manner, parts, reserved);
  }

  private Part reserve(int from, int wanted) {
    knowledge.reserve(from, from + wanted);
    return new Part(from, from + wanted, true);
  }

  /// Rows before the result have no room until they change. A row with reserved seats is not
  /// skipped for good, because the reservation may end without a hold.
  private int firstRow(Fit fit, int wanted, boolean isShared) {
    var rows = firstRows.computeIfAbsent(wanted, _ -> new int[Fit.values().length]);
    var row = rows[fit.ordinal()];
    while (row < starts.length && place(row, fit, wanted, isShared) < 0) {
      if (row == rows[fit.ordinal()]
          && (isShared || !knowledge.hasReserved(starts[row], ends[row]))) {
        rows[fit.ordinal()]++;
      }
      row++;
    }
    return row;
  }

  /// The first seat of a fitting group in a row, as far as is known, or -1.
  private int place(int row, Fit fit, int wanted, boolean isShared) {
    var end = ends[row];
    var from = knowledge.nextFree(starts[row], isShared);
    while (from + wanted <= end) {
      var until = knowledge.nextTaken(from, end, isShared);
      if (fits(fit, from, until, wanted)) {
        return from;
      }
      from = knowledge.nextFree(until, isShared);
    }
    return -1;
  }

  private boolean fits(Fit fit, int from, int until, int wanted) {
    var isTight = until - from == wanted + 1;
    return switch (fit) {
      case GOOD -> until - from >= wanted && !isTight;
      case UNSEEN -> isTight && !knowledge.areSeen(from, until);
      case TIGHT -> isTight;
    };
  }
}
