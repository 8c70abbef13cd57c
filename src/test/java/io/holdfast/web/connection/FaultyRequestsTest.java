package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that a proxy could read in another way than the service does are refused, and so are
/// bodies in a form that the service does not take. Nothing of them is carried out.
@ExtendWith(RealServers.class)
class FaultyRequestsTest {
  private static final String BODY = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";

  private static URI address;
  private static Api api;
  private static Rows rows;
  private static String pool;

  @BeforeAll
  static void find(Service service, TestServers servers) {
    address = service.http();
    api = Api.of(service);
    rows = Rows.of(servers);
    pool = api.pool(5);
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Encoding: gzip, 415",
    "Content-Encoding: deflate, 415",
    "Content-Encoding: snappy, 415",
    "Content-Encoding: br, 415",
    "Content-Encoding: zstd, 415",
    "Transfer-Encoding: gzip; chunked, 400",
    "Transfer-Encoding: xchunked, 400",
    "Transfer-Encoding: identity, 400",
    "Host: other, 400",
    "Authorization: Bearer another-key, 400",
  })
  void a_faulty_header_is_refused_and_nothing_is_held(String header, int status) {
    var line = header.replace(';', ',');

    assertRefused(Wire.place(api, pool, BODY, "Idempotency-Key: " + Api.token(), line), status);

    assertThat(api.counts(pool)).isEqualTo("5 free, 0 held");
  }

  @Test
  void two_origins_are_refused_whichever_comes_first() {
    var key = "Idempotency-Key: " + Api.token();
    var own = "Origin: http://localhost";
    var other = "Origin: https://evil.example";

    assertRefused(Wire.place(api, pool, BODY, key, own, other), 400);
    assertRefused(Wire.place(api, pool, BODY, key, other, own), 400);

    assertThat(api.counts(pool)).isEqualTo("5 free, 0 held");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", "xchunked", "chunked, chunked", "chunked, gzip"})
  void a_transfer_encoding_other_than_chunked_is_refused(String encoding) {
    var head = post("HTTP/1.1", "Host: localhost", "Transfer-Encoding: " + encoding);

    assertRefused((head + "2\r\n{}\r\n0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1), 400);
  }

  /// One reader may take the length, another one the chunks: where the body ends is not certain.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 12\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 12",
        "Content-Length: 0\r\nTransfer-Encoding: chunked"
      })
  void a_body_with_a_length_and_chunks_is_refused(String lines) {
    var head = post("HTTP/1.1", "Host: localhost", lines);

    assertRefused(bytes(head + "2\r\n{}\r\n0\r\n\r\n"), 400);
  }

  /// HTTP/1.0 has no chunks. Without a Connection header, its connections end with the response.
  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 12", "Connection: keep-alive"})
  void chunks_of_an_old_client_are_refused(String line) {
    var head = post("HTTP/1.0", "Host: localhost", line, "Transfer-Encoding: chunked");
    try (var wire = Wire.to(address)) {
      var answer = wire.call(bytes(head + "2\r\n{}\r\n0\r\n\r\n"));

      assertThat(answer.headers()).doesNotContainEntry("connection", "keep-alive");
      assertProblem(answer, 400);
      assertClosed(wire);
    }
  }

  @Test
  void a_body_that_really_is_compressed_is_refused_too() {
    var body = compressed(BODY);
    var head =
        post(
            "HTTP/1.1",
            "Host: localhost",
            "Content-Encoding: gzip",
            "Content-Length: " + body.length);
    var request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(body);

    assertRefused(request.toByteArray(), 415);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/9.9", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2"})
  void a_version_that_is_not_spoken_is_refused(String version) {
    assertRefused(bytes(post(version, "Host: localhost", "Content-Length: 0")), 400);
  }

  @Test
  void a_request_without_a_host_is_refused() {
    assertRefused(bytes(post("HTTP/1.1", "Content-Length: 0")), 400);
  }

  @Test
  void two_equal_hosts_are_two() {
    var head = post("HTTP/1.1", "Host: localhost", "host: localhost", "Content-Length: 0");

    assertRefused(bytes(head), 400);
  }

  @Test
  void what_follows_a_faulty_request_is_never_read_as_a_request() {
    var smuggled =
        new String(
            Wire.place(api, pool, BODY, "Idempotency-Key: smuggled"), StandardCharsets.ISO_8859_1);
    var head = post("HTTP/1.1", "Host: localhost", "Transfer-Encoding: xchunked");

    assertRefused(bytes(head + smuggled), 400);

    assertThat(api.get("/v1/operations/smuggled?pool=" + pool).statusCode()).isEqualTo(404);
    assertThat(api.counts(pool)).isEqualTo("5 free, 0 held");
  }

  @Test
  void the_requests_before_a_faulty_one_are_answered_first() {
    var first = get("/health/liveness", "HTTP/1.1", "Host: localhost");
    var second = get("/openapi.json", "HTTP/1.1", "Host: localhost");
    try (var wire = Wire.to(address)) {
      wire.write(bytes(first + second + get("/health", "HTTP/9.9", "Host: localhost")));

      assertThat(wire.read().status()).isEqualTo(200);
      assertThat(wire.read().body()).contains("openapi");
      assertThat(wire.read().status()).isEqualTo(400);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Transfer-Encoding: chunked", "Transfer-Encoding: CHUNKED"})
  void a_chunked_body_is_taken(String line) {
    var other = api.pool(1);
    var head =
        "POST /v1/pools/%s/holds HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                .formatted(other, api.key())
            + "Idempotency-Key: chunked\r\nContent-Encoding: identity\r\n%s\r\n\r\n"
                .formatted(line);
    var chunk = "%x\r\n%s\r\n0\r\n\r\n".formatted(BODY.length(), BODY);
    try (var wire = Wire.to(address)) {
      assertThat(wire.call(bytes(head + chunk)).status()).isEqualTo(201);
    }
    assertThat(rows.number("SELECT count(*) FROM pool WHERE pool = ?", other)).isOne();
  }

  @Test
  void an_old_client_needs_no_host() {
    try (var wire = Wire.to(address)) {
      var request = bytes(get("/health/liveness", "HTTP/1.0"));

      assertThat(wire.call(request).status()).isEqualTo(200);
    }
  }

  private static void assertRefused(byte[] request, int status) {
    try (var wire = Wire.to(address)) {
      var answer = wire.call(request);

      assertThat(answer.headers()).containsEntry("connection", "close");
      assertProblem(answer, status);
      assertClosed(wire);
    }
  }

  private static void assertProblem(Wire.Answer answer, int status) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers()).containsEntry("content-type", "application/problem+json");
    var problem = Http.json(answer.body());
    var code = status == 415 ? "unsupported-media-type" : "invalid-request";
    assertThat(problem.get("code").asText()).isEqualTo(code);
    assertThat(problem.get("definite").asBoolean()).isTrue();
  }

  private static void assertClosed(Wire wire) {
    assertThatThrownBy(wire::read)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("hung up");
  }

  private static String post(String version, String... headers) {
    return head("POST /v1/pools/%s/holds".formatted(pool), version, headers);
  }

  private static String get(String path, String version, String... headers) {
    return head("GET " + path, version, headers);
  }

  private static String head(String target, String version, String... headers) {
    var lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return "%s %s\r\n%s\r\n".formatted(target, version, lines);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] compressed(String text) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
