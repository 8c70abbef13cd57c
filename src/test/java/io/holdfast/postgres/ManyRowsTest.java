package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ManyRowsTest {

  @Test
  void arrays_are_read_side_by_side_under_the_names_that_they_had() {
    assertThat(ManyRows.text("SELECT a FROM unnest(?::text[],\n   ?::bigint[]) AS given (a, b) x"))
        .isEqualTo(
            "SELECT a FROM (SELECT unnest(?::text[]) AS a, unnest(?::bigint[]) AS b) AS given x");
  }

  @Test
  void arrays_without_names_keep_their_order() {
    assertThat(ManyRows.text("INSERT INTO t SELECT * FROM unnest(?::text[], ?::bytea[])"))
        .isEqualTo(
            "INSERT INTO t SELECT * FROM (SELECT unnest(?::text[]) AS column0,"
                + " unnest(?::bytea[]) AS column1) AS given");
  }

  @Test
  void what_is_counted_and_what_is_no_parameter_stays_as_it_is() {
    var counted = "FROM unnest(?::bytea[]) WITH ORDINALITY AS given (a, place)";
    var column = "SELECT count(*) FROM unnest(h.items) AS wanted (item) WHERE x = ANY (?::text[])";

    assertThat(ManyRows.text(counted)).isEqualTo(counted);
    assertThat(ManyRows.text(column)).isEqualTo(column);
  }
}
