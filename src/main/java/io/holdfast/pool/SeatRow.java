package io.holdfast.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Seats of which each is beside the next one.
///
/// @param section that all of them are in, if their pool has sections
public record SeatRow(@Nullable String section, List<String> seats) {
  /// A longer row is cut, so that whoever looks at one has an end in sight.
  public static final int SEATS_MAX = 500;

  /// The rows of a pool, in the order in which its items name them. Seats are side by side if they
  /// are of one section and row and their numbers follow each other: by one, or by two where all
  /// numbers of the row are odd or all are even. An item without a row or a number stands alone.
  public static List<SeatRow> of(List<CatalogueItem> items) {
    record Place(@Nullable String section, @Nullable String row, @Nullable String alone) {}

    var places = new LinkedHashMap<Place, List<CatalogueItem>>();
    for (var item : items) {
      var isAlone = item.row() == null || item.number() == null;
      var place = new Place(item.section(), item.row(), isAlone ? item.item().value() : null);
      places.computeIfAbsent(place, _ -> new ArrayList<>()).add(item);
    }
    var rows = new ArrayList<SeatRow>();
    places.forEach((place, seats) -> cut(rows, place.section, seats));
    return rows;
  }

  private static void cut(List<SeatRow> rows, @Nullable String section, List<CatalogueItem> row) {
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
