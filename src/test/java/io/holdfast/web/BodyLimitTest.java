package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A body has at most 64 KiB, or 16 MiB where a route allows it, with or without a Content-Length.
@ExtendWith(RealServers.class)
class BodyLimitTest {
  private static final int SMALL = 65_536;
  private static final int LARGE = 16_777_216;

  private static URI door;

  @BeforeAll
  static void find(Service service) {
    door = service.http();
  }

  @Test
  void a_body_of_the_largest_size_is_taken() {
    var body = bodyOf(SMALL);

    assertThat(Http.post(door, "/test/echo", body).body()).isEqualTo(body);
    assertThat(Http.postChunked(door, "/test/echo", body).body()).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL + 1, 1_000_000})
  void a_larger_body_is_a_problem_that_names_the_limit(int size) {
    assertTooLarge(Http.post(door, "/test/echo", bodyOf(size)), SMALL);
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL + 1, 1_000_000})
  void a_larger_body_that_does_not_say_its_size_is_the_same_problem(int size) {
    assertTooLarge(Http.postChunked(door, "/test/echo", bodyOf(size)), SMALL);
  }

  @Test
  void a_route_for_large_bodies_takes_them() {
    var body = bodyOf(LARGE);

    assertThat(Http.post(door, "/test/echo/large", body).body()).isEqualTo("" + LARGE);
    assertThat(Http.postChunked(door, "/test/echo/large", body).body()).isEqualTo("" + LARGE);
  }

  @Test
  void a_route_for_large_bodies_has_a_limit_too() {
    var body = bodyOf(LARGE + 1);

    assertTooLarge(Http.post(door, "/test/echo/large", body), LARGE);
    assertTooLarge(Http.postChunked(door, "/test/echo/large", body), LARGE);
  }

  private static void assertTooLarge(HttpResponse<String> response, int limit) {
    var problem = Http.json(response);
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(problem.path("code").asText()).isEqualTo("too-large");
    assertThat(problem.path("definite").asText()).isEqualTo("true");
    assertThat(problem.path("detail").asText()).contains("" + limit);
  }

  private static String bodyOf(int bytes) {
    var frame = "{\"text\":\"\"}";
    return "{\"text\":\"" + "x".repeat(bytes - frame.length()) + "\"}";
  }
}
