package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Fields are taken by type and name, and a refusal names the field and what it should be.
class JsonFieldsTest {

  @Test
  void a_valid_request_is_read_completely() {
    var fields =
        fields(
            """
            {"requester":"Ünal","items":["A-1","A-2"],"quantity":3,"force":true,
             "policy":{"leaseSeconds":600},"rows":[{"row":"1"},{"row":"2"}],"nothing":null}
            """);

    assertThat(fields.text("requester")).isEqualTo("Ünal");
    assertThat(fields.optionalTexts("items", 2, TextRule.ANY)).containsExactly("A-1", "A-2");
    assertThat(fields.optionalWhole("quantity", 1, 3)).isEqualTo(3);
    assertThat(fields.optionalFlag("force")).isTrue();
    assertThat(fields.optionalFlag("other")).isNull();
    assertThat(fields.optionalObject("policy").optionalWhole("leaseSeconds", 1, 600))
        .isEqualTo(600);
    assertThat(fields.optionalObjects("rows", 2))
        .extracting(row -> row.text("row"))
        .containsExactly("1", "2");
    assertThat(fields.optionalText("nothing")).isNull();
    assertThat(fields.optionalTexts("none", 1, TextRule.ANY)).isNull();
    assertThat(fields.optionalWhole("absent", 1, 2)).isNull();
    fields.refuseOthers();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "2.0", "2e0", "20e-1"})
  void a_whole_number_is_one_however_it_is_written(String number) {
    assertThat(fields("{\"n\":" + number + "}").optionalWhole("n", 1, 3)).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "0",
        "4",
        "1.5",
        "\"2\"",
        "true",
        "[2]",
        "{}",
        "1e999999999",
        "1e-999999999",
        "99999999999999999999"
      })
  void a_number_that_is_not_whole_or_not_in_range_is_refused(String value) {
    assertThat(refusal("{\"n\":" + value + "}", f -> f.optionalWhole("n", 1, 3)))
        .isEqualTo("n: The field n has to be a whole number from 1 to 3.");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "1, has to be a text",
        "`\"\"`, has to have 1 to 128 bytes",
        "`\"a\\u0000b\"`, must not have control characters",
        "`\"a\\tb\"`, must not have control characters",
        "`\"a\\u007fb\"`, must not have control characters",
        "`\"a\\u0085b\"`, must not have control characters",
        "null, is missing"
      })
  void a_text_that_is_none_is_refused(String value, String rule) {
    assertThat(refusal("{\"t\":" + value + "}", f -> f.text("t")))
        .isEqualTo("t: The field t " + rule + ".");
  }

  @ParameterizedTest
  @CsvSource({"x, 128", "é, 64", "€, 42", "😀, 32"})
  void the_length_of_a_text_counts_bytes(String character, int most) {
    var longest = character.repeat(most);

    assertThat(fields("{\"t\":\"" + longest + "\"}").text("t")).isEqualTo(longest);
    assertThat(refusal("{\"t\":\"" + longest + character + "\"}", f -> f.text("t")))
        .contains("has to have 1 to 128 bytes");
  }

  @Test
  void a_list_is_neither_empty_nor_too_long_and_repeats_nothing() {
    assertThat(refusal("{\"l\":[]}", f -> f.optionalTexts("l", 2, TextRule.ANY)))
        .contains("a list of 1 to 2");
    assertThat(refusal("{\"l\":\"a\"}", f -> f.optionalTexts("l", 2, TextRule.ANY)))
        .contains("a list of 1 to 2");
    assertThat(refusal("{\"l\":[\"a\",\"b\",\"c\"]}", f -> f.optionalTexts("l", 2, TextRule.ANY)))
        .contains("1 to 2");
    assertThat(
            refusal(
                "{\"l\":[\"a\",\"b\",\"a\"]}", f -> f.optionalDistinctTexts("l", 3, TextRule.ANY)))
        .startsWith("l[2]: ")
        .contains("repeats an earlier one");
    assertThat(refusal("{\"l\":[\"a\",null]}", f -> f.optionalTexts("l", 3, TextRule.ANY)))
        .startsWith("l[1]: ");
  }

  @Test
  void an_error_in_a_nested_object_is_named_by_its_path() {
    assertThat(refusal("{\"p\":{\"n\":0}}", f -> f.optionalObject("p").optionalWhole("n", 1, 2)))
        .startsWith("p.n: ");
    assertThat(refusal("{\"l\":[{},{\"t\":1}]}", f -> f.optionalObjects("l", 9).get(1).text("t")))
        .startsWith("l[1].t: ");
    assertThat(refusal("{\"l\":[1]}", f -> f.optionalObjects("l", 9))).startsWith("l[0]: ");
    assertThat(refusal("{\"p\":[]}", f -> f.optionalObject("p"))).contains("has to be an object");
  }

  @Test
  void a_flag_is_true_or_false_and_nothing_like_it() {
    assertThat(refusal("{\"f\":\"true\"}", f -> f.optionalFlag("f"))).contains("true or false");
    assertThat(refusal("{\"f\":1}", f -> f.optionalFlag("f"))).contains("true or false");
  }

  @Test
  void an_unknown_field_is_refused_by_name() {
    var fields = fields("{\"a\":\"x\",\"leaseSecnds\":1}");
    fields.text("a");

    assertThatThrownBy(fields::refuseOthers)
        .isInstanceOf(InvalidField.class)
        .hasMessage("The field leaseSecnds is not known here.");
  }

  @Test
  void what_the_digest_leaves_out_is_taken_whoever_asks() {
    var fields = fields("{\"a\":\"x\",\"leaseSecnds\":null,\"attemptId\":\"try-2\"}");
    fields.text("a");

    assertThatCode(fields::refuseOthers).doesNotThrowAnyException();
  }

  @Test
  void an_attempt_is_a_text_and_stands_at_the_top() {
    var number = fields("{\"attemptId\":7}");
    var inside = fields("{\"a\":{\"attemptId\":\"x\"}}").optionalObject("a");

    assertThatThrownBy(number::refuseOthers).hasMessageContaining("has to be a text");
    assertThatThrownBy(inside::refuseOthers).hasMessage("The field a.attemptId is not known here.");
  }

  @Test
  void many_fields_are_all_remembered() {
    var body = new StringBuilder("{\"last\":1");
    for (var i = 0; i < 40; i++) {
      body.append(",\"f").append(i).append("\":1");
    }
    var fields = fields(body + "}");
    for (var i = 0; i < 40; i++) {
      fields.optionalWhole("f" + i, 1, 1);
    }

    assertThatThrownBy(fields::refuseOthers).hasMessageContaining("last");
    fields.optionalWhole("last", 1, 1);
    fields.refuseOthers();
  }

  private static JsonFields fields(String body) {
    return JsonFields.of(JsonBody.read(body.getBytes(StandardCharsets.UTF_8)));
  }

  private static String refusal(String body, Function<JsonFields, ?> taking) {
    var refused = catchThrowableOfType(InvalidField.class, () -> taking.apply(fields(body)));
    assertThat(refused).isNotNull();
    assertThat(refused.getStackTrace()).isEmpty();
    return refused.field() + ": " + refused.sentence();
  }
}
