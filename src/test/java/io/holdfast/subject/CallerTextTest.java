package io.holdfast.subject;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The service and the database remove a name from a text in the same way.
@ExtendWith(RealServers.class)
class CallerTextTest {

  @ParameterizedTest
  @CsvSource({
    "order 7 of anna, anna, true",
    "order 7 of Anna, anna, false",
    "ännchen, änn, true",
    "anna, anna, true",
    "anna, an, false",
    "an, an, true"
  })
  void a_text_is_hashed_if_it_contains_the_name(
      String text, String name, boolean isNamed, TestServers servers) {
    var rows = Rows.of(servers);

    assertThat(CallerText.withoutName(text, name))
        .isEqualTo(isNamed ? CallerText.hashed(text) : text)
        .isEqualTo(rows.texts("SELECT without_name(?, ?)", text, name).getFirst());
    assertThat(CallerText.hashed(text)).isEqualTo(rows.texts("SELECT hashed(?)", text).getFirst());
  }
}
