package io.holdfast.hold;

import io.holdfast.pool.SeatRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Rows to look for seats in, the best ones first, and what is thought of them. Callers that come
/// together are sent to different seats, so that each of them finds what it is sent to. A thought
/// only saves looking again: nothing is refused because of it.
final class Stand {
  private static final Duration MEMORY = Duration.ofSeconds(1);
  private static final int SEATS_AGAIN_MAX = 512;

  private final List<SeatRow> rows;
  private final int longest;
  private final @Nullable RowGuess[] guesses;

  /// The first row that may have a good place for so many.
  private final int[] lowest;

  /// When all of a row was last looked at, the longest ago first. Rows nobody was sent to are not
  /// among them.
  private final Map<Integer, Long> looks = new LinkedHashMap<>();

  private final Map<Integer, String> nothing = new ConcurrentHashMap<>();
  private int underWay;

  private Stand(List<SeatRow> rows, int longest) {
    this.rows = rows;
    this.longest = longest;
    this.guesses = new RowGuess[rows.size()];
    this.lowest = new int[longest + 1];
  }

  static Stand of(List<SeatRow> rows) {
    return new Stand(rows, rows.stream().mapToInt(row -> row.seats().size()).max().orElse(0));
  }

  int size() {
    return rows.size();
  }

  int longest() {
    return longest;
  }

  List<String> seats(int row) {
    return rows.get(row).seats();
  }

  boolean isWhole(Part part) {
    return part.from() == 0 && part.until() == seats(part.row()).size();
  }

  /// The next good place that nobody is sent to, with as many seats from there on as are to be
  /// looked at, and rows before it that nobody has looked at for a while. Empty if no place is
  /// known; what is offered has to be taken back.
  synchronized Offer offer(int count, int seats) {
    var row = next(lowest[count], count);
    if (row == size()) {
      return Offer.NONE;
    }
    var from = guess(row).place(count);
    var now = System.nanoTime();
    looks.putIfAbsent(row, now);
    var parts = again(row, now);
    var left = seats;
    for (var at = row; at < size() && left > 0; at = next(at + 1, count)) {
      var part = part(at, guess(at).place(count), Math.max(left, count + 2));
      left -= part.until() - part.from();
      if (parts.isEmpty() || parts.getLast().row() != at) {
        parts.add(part);
      }
    }
    guess(row).give(from, from + count);
    underWay++;
    return new Offer(parts, new Part(row, from, from + count));
  }

  synchronized void takeBack(Offer offer) {
    var given = offer.given();
    if (given != null) {
      guess(given.row()).takeBack(given.from(), given.until());
      underWay--;
    }
  }

  /// @param chosen the first of those that were taken, or -1
  synchronized void saw(Part part, int first, int free, int count, int chosen) {
    var guess = guess(part.row());
    if (chosen < 0) {
      guess.sawNone(part, first, free, count);
    } else {
      guess.sawTaken(part, first, free, count, chosen);
    }
    if (isWhole(part)) {
      looks.remove(part.row());
      looks.put(part.row(), System.nanoTime());
      for (var any = 1; any <= longest; any++) {
        if (lowest[any] > part.row() && guess.place(any) >= 0) {
          lowest[any] = part.row();
        }
      }
    }
  }

  /// The state of the pool in which there was no room anywhere; if none is known, what the script
  /// takes for *as usual*.
  String lastNothing(int count) {
    return nothing.getOrDefault(count, "WELL");
  }

  void sawNothing(int count, String state) {
    nothing.put(count, state);
  }

  private int next(int from, int count) {
    var row = from;
    while (row < size() && guess(row).place(count) < 0) {
      if (row == lowest[count] && !guess(row).isAwaited()) {
        lowest[count]++;
      }
      row++;
    }
    return row;
  }

  /// Rows up to this one in which a seat may have become free. While others are under way, too, one
  /// is enough: theirs are the next.
  private List<Part> again(int last, long now) {
    var parts = new ArrayList<Part>();
    var most = underWay == 0 ? SEATS_AGAIN_MAX : 1;
    var seats = 0;
    for (var look : looks.entrySet()) {
      if (now - look.getValue() <= MEMORY.toNanos() || seats >= most) {
        break;
      }
      if (look.getKey() <= last) {
        var part = part(look.getKey(), 0, SeatRow.SEATS_MAX);
        parts.add(part);
        seats += part.until();
      }
    }
    for (var part : parts) {
      looks.remove(part.row());
      looks.put(part.row(), now);
    }
    parts.sort(Comparator.comparingInt(Part::row));
    return parts;
  }

  private Part part(int row, int from, int seats) {
    return new Part(row, from, Math.min(seats(row).size(), from + seats));
  }

  private RowGuess guess(int row) {
    var known = guesses[row];
    if (known != null) {
      return known;
    }
    var made = new RowGuess(seats(row).size());
    guesses[row] = made;
    return made;
  }
}
