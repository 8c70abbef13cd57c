package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Pages of configured origins may call the service from a browser, pages of other origins may not.
@ExtendWith(RealServers.class)
class CrossOriginTest {
  private static final String SHOP = "https://shop.example";
  private static final String STRANGE = "https://strange.example";
  private static final int RATE = 1; // a second, so that a slow machine is too fast as well

  private static TestServers servers;
  private static Service service;
  private static URI address;
  private static Api api;

  @BeforeAll
  static void start(TestServers given) {
    servers = given;
    service =
        RealServers.start(
            given,
            Map.of(
                "holdfast.cors-origins",
                SHOP + ", http://localhost:3000",
                "holdfast.public-url",
                "https://tickets.example"));
    address = service.http();
    api = Api.of(service);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {SHOP, "http://localhost:3000"})
  @Requirement("AU-14")
  void a_preflight_of_a_configured_origin_is_answered_without_a_key(String origin) {
    var answer = preflight(origin, "/v1/pools/arena/holds");

    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(header(answer, "Access-Control-Allow-Origin")).isEqualTo(origin);
    assertThat(header(answer, "Access-Control-Allow-Methods"))
        .contains("GET", "POST", "PATCH", "PUT", "DELETE");
    assertThat(header(answer, "Access-Control-Allow-Headers"))
        .contains("Authorization", "Content-Type", "Idempotency-Key", "Waiting-Room-Pass")
        .contains("If-None-Match", "Last-Event-ID", "Prefer");
    assertThat(header(answer, "Access-Control-Max-Age")).isEqualTo("7200");
    assertThat(String.join(",", answer.headers().allValues("Vary")))
        .containsIgnoringCase("origin")
        .contains("Access-Control-Request-Method");
    assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        STRANGE,
        "http://shop.example",
        "https://shop.example:8443",
        "https://shop.example.strange.example",
        "https://SHOP.example",
        "null"
      })
  @Requirement("AU-14")
  void a_preflight_of_another_origin_is_refused_as_a_problem(String origin) {
    var answer = preflight(origin, "/v1/pools/arena/holds");

    assertStranger(answer);
    assertThat(answer.headers().firstValue("Trace-Id")).isPresent();
  }

  @Test
  @Requirement("AU-14")
  void a_request_of_another_origin_is_refused_and_changes_nothing() {
    var pool = api.pool(2);
    var body = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";
    var token = Api.token();

    assertStranger(place(pool, body, token, STRANGE));
    var placed = place(pool, body, token, SHOP);

    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    assertThat(Api.isReplay(placed)).isFalse();
    assertReadable(placed, 201);
    assertThat(header(placed, "Access-Control-Expose-Headers"))
        .contains("Location", "ETag", "Retry-After", "Idempotent-Replayed", "Link", "RateLimit");
    assertThat(api.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/pools, 401",
    "/v1/nowhere, 404",
    "/openapi.yaml, 200",
    "/test/echo/bug, 500",
    "/test/echo/number/seven, 400"
  })
  @Requirement("AU-14")
  void a_configured_origin_can_read_every_kind_of_response(String path, int status) {
    assertReadable(Http.get(address, path, "Origin", SHOP), status);
  }

  @Test
  @Requirement("AU-14")
  void a_configured_origin_can_read_that_its_body_is_too_large() {
    var body = "{\"text\":\"" + "x".repeat(70_000) + "\"}";

    assertReadable(Http.post(address, "/test/echo", body, "Origin", SHOP), 413);
    assertReadable(place(api.pool(1), body, Api.token(), SHOP), 413);
  }

  @Test
  void a_configured_origin_can_read_what_no_filter_has_seen() throws IOException {
    var broken =
        raw("GET /v1/%zz HTTP/1.1\r\nHost: a\r\nOrigin: " + SHOP + "\r\nConnection: close\r\n\r\n");

    assertThat(broken)
        .startsWith("HTTP/1.1 400 ")
        .containsIgnoringCase("access-control-allow-origin: " + SHOP)
        .containsIgnoringCase("vary: origin");
  }

  @Test
  void each_of_several_requests_on_one_connection_gets_the_headers_of_its_own_origin()
      throws IOException {
    var first = "GET /health/liveness HTTP/1.1\r\nHost: a\r\nOrigin: " + SHOP + "\r\n\r\n";
    var second = "GET /health/liveness HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    var answers = raw(first + second).split("(?=HTTP/1\\.1 )");

    assertThat(answers).hasSize(2);
    assertThat(answers[0]).containsIgnoringCase("access-control-allow-origin: " + SHOP);
    assertThat(answers[1])
        .startsWith("HTTP/1.1 200 ")
        .doesNotContainIgnoringCase("access-control-allow-origin")
        .containsIgnoringCase("vary: origin");
  }

  @Test
  @Requirement("AU-14")
  void a_configured_origin_can_read_that_it_is_too_fast() {
    try (var limited =
        RealServers.start(
            servers, Map.of("holdfast.cors-origins", SHOP, "holdfast.rate-limit", "" + RATE))) {
      var answer = listPools(limited.http());
      for (var i = 0; i < 50 * RATE && answer.statusCode() != 429; i++) {
        answer = listPools(limited.http());
      }

      assertReadable(answer, 429);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }
  }

  @Test
  @Requirement("AU-14")
  void nobody_is_configured_unless_somebody_says_so() {
    try (var plain = RealServers.start(servers, Map.of())) {
      var page = Http.get(plain.http(), "/openapi.yaml", "Origin", plain.http().toString());

      assertStranger(Http.get(plain.http(), "/openapi.yaml", "Origin", SHOP));
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().map()).doesNotContainKey("access-control-allow-origin");
    }
  }

  @Test
  void the_pages_of_the_service_itself_may_call_it_also_behind_a_proxy() {
    var own = "http://" + address.getAuthority();

    assertThat(Http.get(address, "/openapi.yaml", "Origin", own).statusCode()).isEqualTo(200);
    assertThat(get("Origin", "https://tickets.example").statusCode()).isEqualTo(200);
    assertThat(get("Origin", STRANGE, "Sec-Fetch-Site", "same-origin").statusCode()).isEqualTo(200);
    assertStranger(get("Origin", STRANGE, "Sec-Fetch-Site", "same-site"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*", "https://shop.example/", "shop.example", "https://Shop.example", "ftp://a"})
  void an_origin_that_no_browser_sends_stops_the_start(String origin) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of("holdfast.cors-origins", origin)))
        .hasMessageContaining("HOLDFAST_CORS_ORIGINS");
  }

  private static HttpResponse<String> preflight(String origin, String path) {
    return Http.send(
        address,
        "OPTIONS",
        path,
        "",
        "Origin",
        origin,
        "Access-Control-Request-Method",
        "POST",
        "Access-Control-Request-Headers",
        "authorization,content-type,idempotency-key");
  }

  private static HttpResponse<String> place(String pool, String body, String token, String origin) {
    return Http.post(
        address,
        "/v1/pools/" + pool + "/holds",
        body,
        "Authorization",
        "Bearer " + api.key(),
        "Idempotency-Key",
        token,
        "Origin",
        origin);
  }

  private static HttpResponse<String> listPools(URI at) {
    return Http.get(at, "/v1/pools", "Origin", SHOP, "Authorization", "Bearer " + api.key());
  }

  private static HttpResponse<String> get(String... headers) {
    return Http.get(address, "/openapi.yaml", headers);
  }

  private static void assertStranger(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
    assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(Api.code(answer)).isEqualTo("origin-not-allowed");
    assertThat(answer.headers().map()).doesNotContainKey("access-control-allow-origin");
  }

  private static void assertReadable(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(header(answer, "Access-Control-Allow-Origin")).isEqualTo(SHOP);
    assertThat(String.join(",", answer.headers().allValues("Vary"))).contains("origin");
  }

  private static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse("none");
  }

  private static String raw(String request) throws IOException {
    try (var socket = new Socket(address.getHost(), address.getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
