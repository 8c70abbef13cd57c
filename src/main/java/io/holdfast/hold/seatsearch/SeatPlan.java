package io.holdfast.hold.seatsearch;

import io.holdfast.pool.SeatRow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The seats of a pool, numbered row by row, with what this instance knows of them. A pool to which
/// items were added has another plan.
final class SeatPlan {
  private final String[] seats;
  private final SeatKnowledge knowledge;
  private final SeatSection all;
  private final Map<String, SeatSection> sections = new LinkedHashMap<>();

  SeatPlan(List<SeatRow> rows) {
    this.seats = rows.stream().flatMap(row -> row.seats().stream()).toArray(String[]::new);
    var numbers = HashMap.<String, Integer>newHashMap(seats.length);
    for (var number = 0; number < seats.length; number++) {
      numbers.put(seats[number], number);
    }
    this.knowledge = new SeatKnowledge(numbers);
    this.all = section(rows, null);
    rows.stream()
        .map(SeatRow::section)
        .filter(name -> name != null)
        .distinct()
        .forEach(name -> sections.put(name, section(rows, name)));
  }

  /// @param name of a section, or null for the whole pool
  /// @return null if there is no such section
  @Nullable SeatSection section(@Nullable String name) {
    return name == null ? all : sections.get(name);
  }

  SeatKnowledge knowledge() {
    return knowledge;
  }

  int size() {
    return seats.length;
  }

  String seat(int number) {
    return seats[number];
  }

  private SeatSection section(List<SeatRow> rows, @Nullable String name) {
    var starts = new int[rows.size()];
    var ends = new int[rows.size()];
    var count = 0;
    var seat = 0;
    for (var row : rows) {
      if (name == null || name.equals(row.section())) {
        starts[count] = seat;
        ends[count++] = seat + row.seats().size();
      }
      seat += row.seats().size();
    }
    var section =
        new SeatSection(knowledge, Arrays.copyOf(starts, count), Arrays.copyOf(ends, count));
    knowledge.add(section);
    return section;
  }
}
