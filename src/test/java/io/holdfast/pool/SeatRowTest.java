package io.holdfast.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SeatRowTest {

  @Test
  void seats_are_side_by_side_if_their_numbers_follow_each_other() {
    var rows = SeatRow.of(List.of(seat("1", 2), seat("1", 1), seat("1", 3), seat("2", 4)));

    assertThat(rows)
        .extracting(SeatRow::seats)
        .containsExactly(List.of("1/1", "1/2", "1/3"), List.of("2/4"));
  }

  @Test
  void an_aisle_parts_a_row() {
    var rows = SeatRow.of(List.of(seat("1", 1), seat("1", 2), seat("1", 5), seat("1", 6)));

    assertThat(rows)
        .extracting(SeatRow::seats)
        .containsExactly(List.of("1/1", "1/2"), List.of("1/5", "1/6"));
  }

  @Test
  void where_all_numbers_are_odd_three_is_beside_five() {
    var rows = SeatRow.of(List.of(seat("1", 1), seat("1", 3), seat("1", 5), seat("1", 9)));

    assertThat(rows)
        .extracting(SeatRow::seats)
        .containsExactly(List.of("1/1", "1/3", "1/5"), List.of("1/9"));
  }

  @Test
  void a_number_given_twice_is_beside_nothing_of_its_own() {
    var twice = List.of(seat("1", 1), seat("1", 1), seat("1", 2));

    assertThat(SeatRow.of(twice)).hasSize(2);
  }

  @Test
  void a_seat_without_a_row_or_number_has_no_neighbours() {
    var rows = SeatRow.of(List.of(seat(null, 1), seat(null, 2), seat("1", null), seat("2", null)));

    assertThat(rows).hasSize(4).allMatch(row -> row.seats().size() == 1);
  }

  @Test
  void equal_rows_of_two_sections_are_two() {
    var rows =
        SeatRow.of(List.of(in("A", "1", 1), in("B", "1", 2), in("A", "1", 2), in("B", "1", 3)));

    assertThat(rows)
        .containsExactly(
            new SeatRow("A", List.of("A/1/1", "A/1/2")),
            new SeatRow("B", List.of("B/1/2", "B/1/3")));
  }

  @Test
  void a_row_without_end_is_cut() {
    var seats = IntStream.rangeClosed(1, 1_200).mapToObj(number -> seat("1", number)).toList();

    assertThat(SeatRow.of(seats))
        .extracting(row -> row.seats().size())
        .containsExactly(SeatRow.SEATS_MAX, SeatRow.SEATS_MAX, 200);
  }

  private static CatalogueItem seat(@Nullable String row, @Nullable Integer number) {
    return item(row + "/" + number, null, row, number);
  }

  private static CatalogueItem in(String section, String row, int number) {
    return item(section + "/" + row + "/" + number, section, row, number);
  }

  private static CatalogueItem item(
      String name, @Nullable String section, @Nullable String row, @Nullable Integer number) {
    return new CatalogueItem(new ItemId(name), section, row, number, null, null, 0);
  }
}
