package io.holdfast.hold.seatsearch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Rows in which seats are searched, the best ones first: those of a section, or all of a pool.
/// Calls that come together are sent to different seats, so that each finds what it is sent to.
final class SeatSection {
  private final SeatKnowledge knowledge;
  private final int[] starts;
  private final int[] ends;
  private final int longest;

  /// For so many wanted seats, and each fit, the first row that may have room for them.
  private final Map<Integer, int[]> firstRows = new HashMap<>();

  /// @param starts number of the first seat of each row
  /// @param ends number behind the last one
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

  /// How wanted seats fit into a group of free ones, in the order in which they are tried.
  private enum Fit {
    /// no seat is left alone
    GOOD,
    /// as far as is known a seat is left alone, but not all seats of the group were looked at
    UNSEEN,
    /// one seat is left alone
    TIGHT
  }

  /// A part of a row.
  ///
  /// @param isOpen whether the row goes on behind it
  record Part(int from, int until, boolean isOpen) {}

  /// What a call is to look at.
  ///
  /// @param known the state up to which it is known what became free
  /// @param manner as the script calls it
  /// @param reserved seats that the call should get; no other call is sent to them until it ended
  record Offer(String known, String manner, List<Part> parts, @Nullable Part reserved) {
    int seats() {
      return parts.stream().mapToInt(part -> part.until - part.from).sum();
    }
  }

  int longest() {
    return longest;
  }

  /// The first seats that may do, and more behind them. No parts, if it is known that there is no
  /// room. What is offered has to be taken back.
  ///
  /// @param isShared also seats that other calls should get
  Offer offer(int wanted, int seatsMax, boolean isShared) {
    synchronized (knowledge) {
      for (var fit : Fit.values()) {
        var offer = isShared ? null : offer(fit, wanted, seatsMax, false);
        offer = offer == null ? offer(fit, wanted, seatsMax, true) : offer;
        if (offer != null) {
          return offer;
        }
      }
      return new Offer(knowledge.state(), "LAST", List.of(), null);
    }
  }

  void takeBack(Offer offer) {
    if (offer.reserved != null) {
      knowledge.unreserve(offer.reserved.from, offer.reserved.until);
    }
  }

  /// In the row of this seat, others are taken or free than before. Also a seat that is taken can
  /// make room: where three were free for two, two are left that fit.
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

  private @Nullable Offer offer(Fit fit, int wanted, int seatsMax, boolean isShared) {
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
    return new Offer(knowledge.state(), manner, parts, reserved);
  }

  private Part reserve(int from, int wanted) {
    knowledge.reserve(from, from + wanted);
    return new Part(from, from + wanted, true);
  }

  /// Rows before it have no room until they change. A row of which a seat is reserved stays: the
  /// reservation may end without a hold.
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

  /// Where so many fit in a row, as far as is known, or -1.
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
