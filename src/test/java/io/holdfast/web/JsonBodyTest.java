package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A body is read in one way, or not at all.
class JsonBodyTest {

  @Test
  void an_object_becomes_a_tree_of_plain_values() {
    var tree =
        read(
            """
            {"text":"é\\n\\ud83d\\ude00","whole":12,"big":123456789012345678901,"decimal":1.50,
             "yes":true,"no":false,"none":null,"list":[1,"a",[],{}],"object":{"a":{"b":-0}}}
            """);

    assertThat(tree)
        .containsEntry("text", "é\n😀")
        .containsEntry("whole", 12L)
        .containsEntry("big", new BigDecimal("123456789012345678901"))
        .containsEntry("decimal", new BigDecimal("1.50"))
        .containsEntry("yes", true)
        .containsEntry("no", false)
        .containsEntry("none", null)
        .containsEntry("list", Arrays.asList(1L, "a", List.of(), Map.of()))
        .containsEntry("object", Map.of("a", Map.of("b", 0L)))
        .hasSize(9);
  }

  @Test
  void whole_numbers_keep_every_digit() {
    assertThat(read("{\"a\":9223372036854775807}").get("a"))
        .isEqualTo(new BigDecimal("9223372036854775807"));
    assertThat(read("{\"a\":-99999999999999999}").get("a")).isEqualTo(-99999999999999999L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "[]",
        "1",
        "\"a\"",
        "null",
        "nonsense",
        "{",
        "{\"a\":1",
        "{\"a\"}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":NaN}",
        "{\"a\":\"\t\"}",
        "{\"a\":1}{}",
        "{\"a\":1} x",
        "{\"a\":1}]",
        "{\"a\":1 /* no */}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"b\":{\"a\":null,\"a\":null}}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}",
        "{\"\\ud800\":1}",
        "{\"a\":1e99999999999}",
        "{\"a\":\"\\x\"}"
      })
  void an_ambiguous_or_unreadable_body_is_refused(String body) {
    assertThatThrownBy(() -> read(body)).isInstanceOf(UnparsableBody.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"c080", "eda080", "ff", "c3", "e282", "f4908080", "80"})
  void bytes_that_are_not_utf_8_are_refused(String hex) {
    var bytes = HexFormat.of().parseHex("7b2261223a22" + hex + "227d");

    assertThatThrownBy(() -> JsonBody.read(bytes)).isInstanceOf(UnparsableBody.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32BE", "UTF-32LE"})
  void json_in_another_encoding_is_refused(String charset) {
    var bytes = "{\"a\":\"b\"}".getBytes(Charset.forName(charset));

    assertThatThrownBy(() -> JsonBody.read(bytes)).isInstanceOf(UnparsableBody.class);
  }

  @Test
  void nesting_has_a_limit() {
    assertThat(read(nested(31))).hasSize(1);
    assertThatThrownBy(() -> read(nested(32))).isInstanceOf(UnparsableBody.class);
    assertThatThrownBy(() -> read(nested(30_000))).isInstanceOf(UnparsableBody.class);
  }

  @Test
  void numbers_have_a_limit() {
    assertThat(read("{\"a\":" + "9".repeat(100) + "}")).hasSize(1);
    assertThat(read("{\"a\":1." + "9".repeat(98) + "}")).hasSize(1);
    for (var number : List.of("9".repeat(101), "1." + "9".repeat(99), "-" + "9".repeat(100))) {
      assertThatThrownBy(() -> read("{\"a\":" + number + "}")).isInstanceOf(UnparsableBody.class);
    }
  }

  @Test
  void an_astronomic_number_is_read_without_being_written_out() {
    assertThat(read("{\"a\":1e999999999}").get("a")).isEqualTo(new BigDecimal("1e999999999"));
  }

  private static String nested(int arrays) {
    return "{\"a\":" + "[".repeat(arrays) + "]".repeat(arrays) + "}";
  }

  private static Map<String, Object> read(String body) {
    return JsonBody.read(body.getBytes(StandardCharsets.UTF_8));
  }
}
