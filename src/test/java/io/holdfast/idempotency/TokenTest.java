package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Requirement;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A token is the value of the header, byte for byte; an invalid header is refused.
class TokenTest {
  private static final int MAX = Token.LENGTH_MAX_DEFAULT;

  @Test
  @Requirement("IR-PP-01")
  void a_missing_token_is_refused() {
    assertThat(sentence(List.of())).contains("needs a header Idempotency-Key");
  }

  @Test
  void two_tokens_are_refused_even_if_they_are_equal() {
    assertThat(sentence(List.of("abc", "abc"))).contains("only one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"\""})
  @Requirement("IR-PP-02")
  void an_empty_token_is_refused(String header) {
    assertThat(sentence(List.of(header))).contains("must not be empty");
  }

  @Test
  @Requirement({"IR-PP-03", "IR-CF-04"})
  void a_token_of_the_largest_length_is_accepted_and_one_more_byte_is_refused() {
    assertThat(read("x".repeat(256))).isEqualTo("x".repeat(256));
    assertThat(sentence(List.of("x".repeat(257)))).contains("at most 256 bytes");
    assertThat(Token.read(List.of("x".repeat(41)), 40)).isInstanceOf(MalformedToken.class);
  }

  @Test
  @Requirement("IR-PP-03")
  void quotes_and_escapes_do_not_count_towards_the_limit() {
    var escaped = "\"" + "\\\"".repeat(256) + "\"";

    assertThat(read(escaped)).isEqualTo("\"".repeat(256));
    assertThat(sentence(List.of("\"" + "\\\\".repeat(257) + "\""))).contains("at most 256 bytes");
  }

  @Test
  @Requirement({"IR-PP-04", "IR-CF-04"})
  void the_limit_counts_bytes_and_not_characters() {
    assertThat(sentence(List.of(asBytes("€".repeat(200))))).contains("at most 256 bytes");
    assertThat(read(asBytes("€".repeat(85)))).hasSize(255);
  }

  @Test
  @Requirement("IR-PP-05")
  void tokens_are_case_sensitive() {
    assertThat(read("abc")).isNotEqualTo(read("ABC"));
  }

  @Test
  @Requirement("IR-PP-06")
  void white_space_is_not_normalised() {
    assertThat(read("\"abc\"")).isNotEqualTo(read("\"abc \"")).isNotEqualTo(read("\" abc\""));
    assertThat(read("a  b")).isNotEqualTo(read("a b"));
  }

  @Test
  @Requirement("IR-PP-07")
  void unicode_forms_are_not_normalised() {
    var composed = asBytes(Normalizer.normalize("café", Normalizer.Form.NFC));
    var decomposed = asBytes(Normalizer.normalize("café", Normalizer.Form.NFD));

    assertThat(read(composed)).isNotEqualTo(read(decomposed));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "'\"abc\"',         abc",
        "'\"a\\\"b\"',      'a\"b'",
        "'\"a\\\\b\"',      'a\\b'",
        "'a\"b',            'a\"b'",
        "'a\\b',            'a\\b'",
        "'\"a, b;c=d\"',    'a, b;c=d'",
        "'a, b',            'a, b'"
      })
  void a_quoted_token_is_unescaped_and_a_bare_one_is_not(String header, String token) {
    assertThat(read(header)).isEqualTo(token);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"",
        "\"abc",
        "\"abc\\\"",
        "\"a\"b\"",
        "\"abc\" ;x",
        "\"abc\";q=1",
        "\"a\\n\"",
        "\"caf\u00e9\"",
        "\"a\tb\"",
        "\"abc\"x"
      })
  void a_quoted_token_that_is_malformed_is_refused(String header) {
    assertThat(sentence(List.of(header))).contains("String of RFC 9651");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\tb", "a\u0000b", "a\u007fb", "a\u001bb", "a\u20acb"})
  void a_bare_token_with_a_control_character_is_refused(String header) {
    assertThat(sentence(List.of(header))).contains("no control characters");
    assertThatThrownBy(() -> new Token(header)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8f14e45f-ceea-467f-9a36-dedd4bea2543",
        "BIZMSG-20260114-DEUTDEFFXXX-0000000000001",
        "urn:oid:2.16.840.1.113883.3.72.5.9.1|20260114.0001",
        "pi_3MtwBwLkdIwHu7ix28a3tqPa:capture:1",
        "order/4711/attempt/1?customer=ann@example.org&amount=10,00",
        "amzn-RequestId=1-67891233-abcdef012345678912345678"
      })
  @Requirement({"IR-SD-2", "IR-CF-05"})
  void keys_in_common_formats_are_kept_unchanged(String key) {
    assertThat(read(key)).isEqualTo(key);
    assertThat(read("\"" + key + "\"")).isEqualTo(key);
  }

  private static String read(String header) {
    return ((Token) Token.read(List.of(header), MAX)).value();
  }

  private static String sentence(List<String> headers) {
    return ((MalformedToken) Token.read(headers, MAX)).sentence();
  }

  /// As the server hands headers on: one char for each byte.
  private static String asBytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
