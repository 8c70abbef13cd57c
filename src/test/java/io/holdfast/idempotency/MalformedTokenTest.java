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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A malformed token is refused before the rest of the request is read. Written to the wire by
/// hand, one char a byte.
@ExtendWith(RealServers.class)
class MalformedTokenTest {
  private static final String BODY = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";

  private static Api api;
  private static Records records;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
    pool = api.pool(1);
  }

  static Stream<List<String>> malformed() {
    return Stream.of(
            List.<String>of(),
            List.of(""),
            List.of("\"\""),
            List.of("one", "one"),
            List.of("one", "other"),
            List.of("\"unfinished"),
            List.of("\"done\"more"),
            List.of("\"done\";a=1"),
            List.of("\"escaped \\n\""),
            List.of("\"escaped end\\\""),
            List.of("\"" + bytes("é") + "\""),
            List.of("a\tb"),
            List.of("x".repeat(257)),
            List.of("\"" + "x".repeat(257) + "\""),
            List.of(bytes("€".repeat(200))))
        .map(values -> values.stream().map("Idempotency-Key: "::concat).toList());
  }

  @ParameterizedTest
  @MethodSource("malformed")
  @Requirement({"IR-PP-01", "IR-PP-02", "IR-PP-03", "IR-PP-04", "IR-PP-10"})
  void a_missing_or_malformed_token_is_refused_and_nothing_is_stored(List<String> headers) {
    var answer = call(headers.toArray(String[]::new));

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.headers()).containsEntry("content-type", "application/problem+json");
    assertThat(answer.body())
        .contains("\"code\":\"invalid-request\"", "\"definite\":true")
        .contains("\"field\":\"Idempotency-Key\"");
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
    assertThat(records.tokens(pool)).isEmpty();
  }

  @Test
  void a_byte_that_is_invalid_in_a_header_is_refused() {
    var answer = call("Idempotency-Key: a\u007fb");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("\"code\":\"invalid-request\"", "\"definite\":true");
    assertThat(records.tokens(pool)).isEmpty();
  }

  private static Wire.Answer call(String... headers) {
    try (var wire = Wire.to(api.base())) {
      return wire.call(Wire.place(api, pool, BODY, headers));
    }
  }

  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
