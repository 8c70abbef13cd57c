package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.web.router.RouteInfo;
import io.micronaut.web.router.Router;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which requests are accepted, and how others are refused.
@ExtendWith(RealServers.class)
class AuthFilterTest {
  private static Service service;
  private static Keys keys;

  @BeforeAll
  static void find(Service running) {
    service = running;
    keys = new Keys(running.http());
  }

  @Test
  void every_route_declares_its_rule() {
    var rules = service.context().getBean(RouteRules.class);

    assertThat(service.context().getBean(Router.class).uriRoutes())
        .hasSizeGreaterThan(10)
        .allSatisfy(
            route ->
                assertThat(hasRule(rules, route))
                    .as("%s needs @Secured with scopes that there are", route)
                    .isTrue());
  }

  @Test
  void a_route_without_a_rule_is_closed(TestServers servers, @TempDir Path data) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    settings.put("test.unruled", "true");
    try (var careless = Service.start(settings)) {
      var rules = careless.context().getBean(RouteRules.class);
      var routes = careless.context().getBean(Router.class).uriRoutes();
      var operator = Keys.bearer(TestServers.KEY);

      assertThat(routes.filter(route -> !hasRule(rules, route))).isNotEmpty();
      assertRefused(Http.get(careless.http(), "/test/unruled"), 401, "unauthenticated");
      assertRefused(
          Http.get(careless.http(), "/test/unruled", "Authorization", operator), 403, "forbidden");
    }
  }

  @Test
  void a_request_without_a_key_is_refused() {
    var response = Http.post(keys.door(), "/test/tiny/hold", "{}");

    assertRefused(response, 401, "unauthenticated");
    assertThat(response.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
    assertThat(response.headers().firstValue("Trace-Id")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer",
        "Bearer ",
        "Bearer unknown",
        "Bearer hf_demo_key",
        "Basic b3BlcmF0b3I6b3BlcmF0b3I=",
        "key-of-the-operator-in-tests",
        "Bearer Bearer key-of-the-operator-in-tests",
        "Bearer KEY-of-the-operator-in-tests"
      })
  void an_unknown_key_or_malformed_header_is_refused(String header) {
    var response = Http.post(keys.door(), "/test/tiny/hold", "{}", "Authorization", header);

    assertRefused(response, 401, "unauthenticated");
  }

  @Test
  void a_key_of_any_length_that_is_unknown_is_refused() {
    assertRefused(keys.hold("x".repeat(4_000)), 401, "unauthenticated");
  }

  @Test
  void a_known_key_is_let_in_on_the_event_loop() {
    assertThat(keys.hold(TestServers.KEY).body()).matches("operator on .*eventLoopGroup.*");
    var lower = "bearer " + TestServers.KEY;
    assertThat(Http.get(keys.door(), "/test/tiny/anybody", "Authorization", lower).body())
        .isEqualTo("operator");
  }

  @Test
  void a_key_without_the_scope_gets_the_name_of_the_missing_scope() {
    var made = keys.made("shop", "commit");

    var response = keys.hold(made.key());

    assertRefused(response, 403, "forbidden");
    assertThat(Http.json(response).path("detail").asText()).contains("scope hold");
  }

  @ParameterizedTest
  @CsvSource({
    "commit,  /test/tiny/either,  200",
    "audit,   /test/tiny/either,  200",
    "hold,    /test/tiny/either,  403",
    "hold,    /test/tiny/anybody, 200",
    "operate, /test/tiny/nobody,  403"
  })
  void one_of_the_scopes_that_a_route_names_is_enough(String scope, String path, int status) {
    var made = keys.made("shop", scope);

    var response = Http.get(keys.door(), path, "Authorization", Keys.bearer(made.key()));

    assertThat(response.statusCode()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/docs", "/holdfast.css", "/openapi.yaml", "/health", "/prometheus"})
  void open_routes_need_no_key(String path) {
    assertThat(Http.get(keys.door(), path).statusCode()).isEqualTo(200);
    assertThat(Http.get(keys.door(), path, "Authorization", "Bearer nonsense").statusCode())
        .isEqualTo(200);
  }

  @Test
  void an_unknown_path_gets_404_without_a_key() {
    assertRefused(Http.get(keys.door(), "/v1/nowhere"), 404, "not-known");
    assertRefused(Http.post(keys.door(), "/v1/nowhere", "{}"), 404, "not-known");
  }

  /// Whether the route declares a rule of known words.
  private static boolean hasRule(RouteRules rules, RouteInfo<?> route) {
    var words = route.getAnnotationMetadata().stringValues(Secured.class);
    return words.length == 0
        ? rules.of(route).equals(RouteRule.OPEN)
        : Stream.of(words).allMatch(AuthFilterTest::isKnown);
  }

  private static boolean isKnown(String word) {
    return word.equals(SecurityRule.DENY_ALL)
        || !RouteRule.of(new String[] {word}).equals(RouteRule.CLOSED);
  }

  private static void assertRefused(HttpResponse<String> response, int status, String code) {
    var problem = Http.json(response);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(problem.path("code").asText()).isEqualTo(code);
    assertThat(problem.path("definite").asText()).isEqualTo("true");
    assertThat(problem.path("detail").asText()).isNotBlank();
  }
}
