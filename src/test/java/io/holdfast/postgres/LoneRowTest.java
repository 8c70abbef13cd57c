package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A statement for many rows, and the same for one.
class LoneRowTest {

  @Test
  void arrays_become_values_under_the_same_names() {
    assertThat(LoneRow.text("SELECT a FROM unnest(?::text[],\n   ?::bigint[]) AS given (a, b)"))
        .isEqualTo("SELECT a FROM (VALUES (?::text,\n   ?::bigint)) AS given (a, b)");
  }

  @Test
  void a_place_in_the_order_is_the_first() {
    assertThat(LoneRow.text("FROM unnest(?::bytea[]) WITH ORDINALITY\n AS given (a, place)"))
        .isEqualTo("FROM (VALUES (?::bytea, 1::bigint))\n AS given (a, place)");
  }

  @Test
  void what_has_no_name_gets_one() {
    assertThat(LoneRow.text("INSERT INTO t SELECT * FROM unnest(?::text[], ?::text[])"))
        .isEqualTo("INSERT INTO t SELECT * FROM (VALUES (?::text, ?::text)) AS lone");
  }

  @Test
  void any_of_one_is_that_one_and_other_arrays_stay() {
    assertThat(
            LoneRow.text("WHERE pool = ANY (?::text[]) AND item = ANY (h.items), unnest(h.items)"))
        .isEqualTo("WHERE pool = ?::text AND item = ANY (h.items), unnest(h.items)");
  }
}
