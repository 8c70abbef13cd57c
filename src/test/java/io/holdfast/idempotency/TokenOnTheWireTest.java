package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Wire;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A token is the sent bytes, not folded, trimmed or decoded. Written to the wire by hand, one char
/// a byte.
@ExtendWith(RealServers.class)
class TokenOnTheWireTest {
  private static final String BODY = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";

  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
  }

  static Stream<List<String>> equal() {
    return Stream.of(
        List.of("abc", "\"abc\""),
        List.of("abc", "  abc \t"),
        List.of("a\"b", "\"a\\\"b\""),
        List.of("a\\b", "\"a\\\\b\""),
        List.of("abc ~", "\"abc ~\""),
        List.of("\u00ff\u00fe\u0080", "\u00ff\u00fe\u0080"));
  }

  @ParameterizedTest
  @MethodSource("equal")
  @Requirement("IR-SD-1")
  void different_spellings_of_one_token_are_one_token(List<String> values) {
    var pool = api.pool(1);
    var first = call(pool, "Idempotency-Key: " + values.getFirst());

    var second = call(pool, "idempotency-key:" + values.getLast());

    assertThat(first.status()).as(first.body()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.headers()).containsEntry("idempotent-replayed", "true");
  }

  static Stream<String> spellings() {
    return Stream.of(
        "{\"items\":[\"A-1\"],\"leaseSeconds\":60,\"requester\":\"ann\"}",
        " {\n \"leaseSeconds\" : 60 ,\t\"requester\":\"ann\",\r\n\"items\":[ \"A-1\" ] }\n",
        "{\"requester\":\"\\u0061nn\",\"leaseSeconds\":6.0e1,\"items\":[\"A\\u002d1\"]}");
  }

  /// The order of members and of headers, and white space.
  @ParameterizedTest
  @MethodSource("spellings")
  @Requirement("IR-ST-05")
  void different_spellings_of_one_request_are_one_request(String spelling) {
    var pool = api.pool(1);
    var body = "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":60}";
    Wire.Answer first;
    Wire.Answer second;
    try (var wire = Wire.to(api.base())) {
      first =
          wire.call(Wire.place(api, pool, body, "Idempotency-Key: k", "X-Trace: 1", "Accept: */*"));
      second =
          wire.call(
              Wire.place(api, pool, spelling, "Accept: */*", "X-Trace: 2", "Idempotency-Key: k"));
    }

    assertThat(first.status()).as(first.body()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(second.headers()).containsEntry("idempotent-replayed", "true");
  }

  static Stream<List<String>> different() {
    return Stream.of(
        List.of("abc", "ABC"),
        List.of("\"abc\"", "\"abc \""),
        List.of("\"abc\"", "\" abc\""),
        List.of(
            bytes(Normalizer.normalize("é", Normalizer.Form.NFC)),
            bytes(Normalizer.normalize("é", Normalizer.Form.NFD))),
        List.of("\u00ff\u00fe", "\u00ff\u00fd"),
        List.of(bytes("é"), "\u00e9"));
  }

  @ParameterizedTest
  @MethodSource("different")
  @Requirement({"IR-PP-05", "IR-PP-06", "IR-PP-07"})
  void tokens_that_differ_in_one_byte_are_two_tokens(List<String> values) {
    var pool = api.pool(1);
    var first = call(pool, "Idempotency-Key: " + values.getFirst());

    var second = call(pool, "Idempotency-Key: " + values.getLast());

    assertThat(first.status()).as(first.body()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.headers()).doesNotContainKey("idempotent-replayed");
    assertThat(records.tokens(pool)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8e03978e-40d5-43dd-bc93-6894a57f9324",
        "BIZMSG/20260520/ACQ-000000000000123",
        "https://hospital.example/bundles|urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0",
        "KG5LxwFBepaKHyUD",
        "Root=1-67891233-abcdef012345678912345678;Self=1-67891233-1"
      })
  @Requirement({"IR-SD-2", "IR-CF-05"})
  void keys_in_other_common_formats_are_stored_unchanged(String key) {
    var pool = api.pool(1);

    var placed = call(pool, "Idempotency-Key: " + key);

    assertThat(placed.status()).isEqualTo(201);
    assertThat(records.tokens(pool)).containsExactly("operator\t" + key);
  }

  @Test
  @Requirement({"IR-PP-03", "IR-CF-04", "IR-SD-1"})
  void the_longest_token_is_accepted_and_collides_with_another_body() {
    var pool = api.pool(1);
    var header = "Idempotency-Key: \"" + "x".repeat(256) + "\"";

    var placed = call(pool, header);
    var other = Wire.place(api, pool, BODY.replace("ann", "ben"), header);

    assertThat(placed.status()).isEqualTo(201);
    try (var wire = Wire.to(api.base())) {
      assertThat(wire.call(other).status()).isEqualTo(422);
    }
  }

  private static Wire.Answer call(String pool, String... headers) {
    try (var wire = Wire.to(api.base())) {
      return wire.call(Wire.place(api, pool, BODY, headers));
    }
  }

  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
