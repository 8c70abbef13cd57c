package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What all routes have in common: health, refusals in one form, and a trace id.
@ExtendWith(RealServers.class)
class AllRoutesTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static URI address;

  @BeforeAll
  static void find(Service service) {
    address = service.http();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/health/liveness", "/health/readiness"})
  void a_service_with_both_servers_is_up(String path) {
    var response = Http.get(address, path);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(Http.json(response).path("status").asText()).isEqualTo("UP");
  }

  @Test
  void the_metrics_tell_which_server_answers() {
    var response = Http.get(address, "/prometheus");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body().lines())
        .contains("holdfast_link_up{link=\"redis\"} 1.0")
        .contains("holdfast_link_up{link=\"postgres\"} 1.0");
  }

  @Test
  void an_unknown_route_is_a_problem() {
    assertRefused(Http.get(address, "/v1/nowhere"), 404, "not-known");
  }

  @Test
  void a_wrong_method_is_a_problem_that_names_the_right_ones() {
    var response = Http.post(address, "/openapi.yaml", "{}");

    assertRefused(response, 405, "method-not-allowed");
    assertThat(response.headers().firstValue("Allow").orElseThrow()).contains("GET");
  }

  @Test
  void a_path_that_is_none_is_a_problem() throws IOException {
    var response = raw("GET /v1/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

    assertThat(response)
        .startsWith("HTTP/1.1 400 ")
        .containsIgnoringCase("content-type: application/problem+json")
        .contains("\"code\":\"invalid-request\"", "\"definite\":true", "\"retryable\":false");
  }

  @Test
  void a_path_with_a_part_that_cannot_be_read_is_a_problem() {
    assertRefused(Http.get(address, "/test/echo/number/seven"), 400, "invalid-request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"text\":", "nonsense", "[]", ""})
  void a_body_that_cannot_be_read_is_a_problem(String body) {
    assertRefused(Http.post(address, "/test/echo", body), 400, "invalid-request");
  }

  @Test
  void a_body_in_another_language_is_a_problem() throws IOException {
    var response =
        raw(
            """
            POST /test/echo HTTP/1.1
            Host: localhost
            Connection: close
            Content-Type: text/plain
            Content-Length: 2

            hi\
            """);

    assertThat(response)
        .startsWith("HTTP/1.1 415 ")
        .contains("\"code\":\"unsupported-media-type\"", "\"definite\":true");
  }

  @Test
  void a_bug_is_admitted_without_telling_its_story() {
    var response = Http.get(address, "/test/echo/bug");

    var problem = Http.json(response);
    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(mediaType(response)).isEqualTo("application/problem+json");
    assertThat(problem.path("code").asText()).isEqualTo("internal-error");
    assertThat(problem.path("definite").isBoolean()).isTrue();
    assertThat(problem.path("definite").asBoolean()).isFalse();
    assertThat(response.body())
        .doesNotContain(EchoController.SECRET, "Exception", "io.holdfast", ".java", "\\n", "\tat ");
  }

  @Test
  void a_caller_keeps_its_trace_on_every_kind_of_answer() {
    var traceparent = "00-" + TRACE + "-00f067aa0ba902b7-01";

    assertThat(traceOf("/health", traceparent)).isEqualTo(TRACE);
    assertThat(traceOf("/v1/nowhere", traceparent)).isEqualTo(TRACE);
    assertThat(traceOf("/test/echo/bug", traceparent)).isEqualTo(TRACE);
  }

  @ParameterizedTest
  @CsvSource({
    "nonsense",
    "00-4bf92f3577b34da6a3ce929d0e0e4736",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  })
  void a_malformed_trace_is_replaced_by_a_new_one(String traceparent) {
    var trace = traceOf("/health", traceparent);

    assertThat(trace).matches("[0-9a-f]{32}").isNotEqualTo(TRACE).isNotEqualTo("0".repeat(32));
  }

  @Test
  void two_requests_have_two_traces() {
    var one = Http.get(address, "/health").headers().firstValue("Trace-Id");
    var other = Http.get(address, "/health").headers().firstValue("Trace-Id");

    assertThat(one).isPresent().isNotEqualTo(other);
  }

  /// A definite refusal that a retry does not change.
  private static void assertRefused(HttpResponse<String> response, int status, String code) {
    var problem = Http.json(response);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(mediaType(response)).isEqualTo("application/problem+json");
    assertThat(problem.path("status").asInt()).isEqualTo(status);
    assertThat(problem.path("code").asText()).isEqualTo(code);
    assertThat(problem.path("type").asText()).endsWith("/" + code);
    assertThat(problem.path("definite").asText()).isEqualTo("true");
    assertThat(problem.path("retryable").asText()).isEqualTo("false");
    assertThat(problem.path("detail").asText()).isNotBlank().doesNotContain("\n", "StreamRead");
  }

  private static String mediaType(HttpResponse<String> response) {
    return response.headers().firstValue("Content-Type").orElse("none");
  }

  private static String traceOf(String path, String traceparent) {
    var headers = Http.get(address, path, "traceparent", traceparent).headers();
    return headers.firstValue("Trace-Id").orElse("none");
  }

  /// What no client library would send.
  private static String raw(String request) throws IOException {
    try (var socket = new Socket(address.getHost(), address.getPort())) {
      var lines = request.replaceAll("(?<!\r)\n", "\r\n");
      socket.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
