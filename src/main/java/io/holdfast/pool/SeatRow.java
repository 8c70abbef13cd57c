package io.holdfast.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Adjacent seats in their order.
///
/// @param section that all of them are in, if their pool has sections
public record SeatRow(@Nullable String section, List<String> seats) {
  /// Longer rows are split, so that a search of one row is bounded.
  public static final int SEATS_MAX = 500;

  /// Returns the rows of a pool, in the order of its items. Seats of one section and row are
  /// adjacent if their numbers differ by one, or by two where all numbers of the row are odd or all
  /// are even. An item without a row or a number is a row of its own.
  public static List<SeatRow> of(List<CatalogueItem> items) {
    record Place(@Nullable String section, @Nullable String row, @Nullable String alone) {}

    var places = new LinkedHashMap<Place, List<CatalogueItem>>();
    for (var item : items) {
      var isAlone = item.row() == null || item.number() == null;
      var place = new Place(item.section(), item.row(), isAlone ? item.item().value() : null);
      places.computeIfAbsent(place, _ -> new ArrayList<>()).add(item);
    }
    var rows = new ArrayList<SeatRow>();
    places.forEach((place, seats) -> split(rows, place.section, seats));
    return rows;
  }

  private static void split(List<SeatRow> rows, @Nullable String section, List<CatalogueItem> row) {
    if (row.size() == 1) {
      rows.add(new SeatRow(section, List.of(row.getFirst().item().value())));
      return;
    }
    row.sort(Comparator.comparing(item -> Objects.requireNonNull(item.number())));
    var parities = row.stream().map(seat -> number(seat) & 1).distinct().count();
    var step = parities == 1 ? 2 : 1;
    var seats = new ArrayList<String>();
    for (var i = 0; i < row.size(); i++) {
      var isBeside = i > 0 && number(row.get(i)) - number(row.get(i - 1)) == step;
      if (!seats.isEmpty() && (!isBeside || seats.size() == SEATS_MAX)) {
        rows.add(new SeatRow(section, List.copyOf(seats)));
        seats.clear();
      }
      seats.add(row.get(i).item().value());
    }
    rows.add(new SeatRow(section, List.copyOf(seats)));
  }

  private static int number(CatalogueItem item) {
    return Objects.requireNonNull(item.number());
  }
}
