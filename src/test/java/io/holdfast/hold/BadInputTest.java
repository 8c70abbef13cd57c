package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Invalid requests are refused in one form that names the error, and hold nothing. A readable
/// request gets the same refusal again under its token.
@ExtendWith(RealServers.class)
class BadInputTest {
  private static Api api;
  private static String pool;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
    pool = api.pool(10);
  }

  @AfterEach
  void nothing_is_held() {
    assertThat(api.counts(pool)).isEqualTo("10 free, 0 held");
  }

  static Stream<Arguments> readable() {
    return Stream.of(
        Arguments.of("requester", "{\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":null,\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":\"\",\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":7,\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":\"a\\tb\",\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":\"a\\u0000\",\"items\":[\"A-1\"]}"),
        Arguments.of("requester", "{\"requester\":\"%s\"}".formatted("x".repeat(129))),
        Arguments.of("requester", "{\"requester\":\"%s\"}".formatted("€".repeat(43))),
        Arguments.of("items", "{\"requester\":\"ann\"}"),
        Arguments.of("items", "{\"requester\":\"ann\",\"items\":[]}"),
        Arguments.of("items", "{\"requester\":\"ann\",\"items\":\"A-1\"}"),
        Arguments.of("items", "{\"requester\":\"ann\",\"items\":{\"A-1\":1}}"),
        Arguments.of("items", "{\"requester\":\"ann\",\"items\":[1,2,3,4,5,6,7,8,9]}"),
        Arguments.of("items", "{\"requester\":\"ann\",\"items\":[\"A-1\",\"A-99\"]}"),
        Arguments.of("items[0]", "{\"requester\":\"ann\",\"items\":[null]}"),
        Arguments.of("items[0]", "{\"requester\":\"ann\",\"items\":[[\"A-1\"]]}"),
        Arguments.of("items[1]", "{\"requester\":\"ann\",\"items\":[\"A-1\",\"A-1\"]}"),
        Arguments.of("items[1]", "{\"requester\":\"ann\",\"items\":[\"A-1\",\"A\\n-1\"]}"),
        Arguments.of("leaseSeconds", lease("0")),
        Arguments.of("leaseSeconds", lease("-1")),
        Arguments.of("leaseSeconds", lease("1.5")),
        Arguments.of("leaseSeconds", lease("1801")),
        Arguments.of("leaseSeconds", lease("99999999999999999999999999")),
        Arguments.of("leaseSeconds", lease("1e400")),
        Arguments.of("leaseSeconds", lease("\"60\"")),
        Arguments.of("leaseSeconds", lease("true")),
        Arguments.of("lease", "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"lease\":1}"),
        Arguments.of("Items", "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"Items\":[]}"));
  }

  @ParameterizedTest
  @MethodSource("readable")
  @Requirement({"PC-DP-1", "IR-PP-09"})
  void a_readable_invalid_request_is_refused_by_field_and_stored_under_its_token(
      String field, String body) {
    var token = Api.token();

    var first = place(token, body);
    var second = place(token, body);

    assertProblem(first, 400, "invalid-request");
    assertThat(Http.json(first).path("field").asText()).isEqualTo(field);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(second)).isTrue();
  }

  static Stream<String> sameAsWithout() {
    return Stream.of(
        "\"attemptId\":\"try-2\"",
        "\"attemptId\":null",
        "\"quantity\":null,\"bestAvailable\":null,\"section\":null",
        "\"nothing\":null");
  }

  /// Two requests with the same digest must both be valid or both be invalid.
  @ParameterizedTest
  @MethodSource("sameAsWithout")
  @Requirement({"IR-ST-08", "IR-INV-1"})
  void fields_outside_the_digest_do_not_change_the_answer(String more) {
    var token = Api.token();
    var plain = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";
    var longer = plain.replace("}", "," + more + "}");

    var first = place(token, longer);
    var second = place(token, plain);
    var third = place(token, longer);
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");

    assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(third.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(third)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "\"\"", "\"a\\tb\"", "[\"try-2\"]"})
  void an_invalid_attempt_id_is_refused_and_collides_with_the_valid_request(String attempt) {
    var token = Api.token();
    var plain = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";

    var refused = place(token, plain.replace("}", ",\"attemptId\":" + attempt + "}"));
    var other = place(token, plain);

    assertProblem(refused, 400, "invalid-request");
    assertThat(Http.json(refused).path("field").asText()).isEqualTo("attemptId");
    assertProblem(other, 422, "token-collision");
  }

  static Stream<String> unreadable() {
    return Stream.of(
        "",
        "nonsense",
        "[]",
        "\"text\"",
        "{\"requester\":\"ann\",\"items\":[\"A-1\"]",
        "{\"requester\":\"ann\",\"items\":[\"A-1\"]} {}",
        "{\"requester\":\"ann\",\"requester\":\"ben\",\"items\":[\"A-1\"]}",
        "{\"requester\":\"\\ud800\",\"items\":[\"A-1\"]}",
        "{\"requester\":'ann',\"items\":[\"A-1\"]}",
        "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":NaN}",
        "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":%s}"
            .formatted("9".repeat(200)),
        "{\"requester\":\"ann\",\"items\":" + "[".repeat(5_000) + "]".repeat(5_000) + "}");
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void an_ambiguous_body_is_refused_and_not_stored(String body) {
    var token = Api.token();

    var first = place(token, body);
    var second = place(token, body);

    assertProblem(first, 400, "invalid-request");
    assertProblem(second, 400, "invalid-request");
    assertThat(Api.isReplay(second)).isFalse();
  }

  @Test
  void a_body_that_is_too_large_or_in_another_language_is_refused() {
    var path = "/v1/pools/" + pool + "/holds";
    var large = place(Api.token(), "{\"requester\":\"%s\"}".formatted("x".repeat(70_000)));
    var plain = Http.plain(api.base(), path, "hi", "Authorization", "Bearer " + api.key());

    assertProblem(large, 413, "too-large");
    assertProblem(plain, 415, "unsupported-media-type");
  }

  private static HttpResponse<String> place(String token, String body) {
    return api.post("/v1/pools/" + pool + "/holds", token, body);
  }

  private static String lease(String value) {
    return "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":%s}".formatted(value);
  }

  private static void assertProblem(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode() + " " + Api.code(answer)).isEqualTo(status + " " + code);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(Http.json(answer).get("definite").asBoolean()).isTrue();
    assertThat(Http.json(answer).get("retryable").asBoolean()).isFalse();
    assertThat(Http.json(answer).get("detail").asText()).isNotBlank();
  }
}
