package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every route that changes state needs a token, and no route that only reads does.
@ExtendWith(RealServers.class)
class EveryChangeNeedsATokenTest {
  private static final Set<HttpMethod> LOOKING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private static Service service;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service given) {
    service = given;
    api = Api.of(given);
    records = new Records(servers, api);
  }

  /// Whatever routes there will be, this test finds them by itself.
  @Test
  @Requirement({"IR-AW-01", "IR-PP-01"})
  void no_route_but_heartbeats_and_signed_notices_changes_anything_without_a_token() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    var ticket = ticketOf("ann");
    var body = "{\"requester\":\"ann\",\"items\":[\"A-2\"]}";

    for (var route : changes()) {
      var path =
          route
              .path
              .replace("{pool}", pool)
              .replace("{ticket}", ticket)
              .replaceAll("\\{.*?}", hold.id());
      var answer =
          Http.send(api.base(), route.method, path, body, "Authorization", "Bearer " + api.key());

      assertThat(answer.statusCode()).as(route + answer.body()).isEqualTo(400);
      assertThat(Http.json(answer).path("field").asText()).isEqualTo("Idempotency-Key");
    }
    assertThat(changes()).extracting(Route::path).contains("/v1/pools/{pool}/holds");
    assertThat(api.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @Test
  @Requirement("IR-AW-16")
  void reads_need_no_token_and_store_none() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");
    var words = records.words(pool);
    var token = records.tokens(pool);
    var paths =
        List.of(
            "/v1/holds/" + hold.id(),
            "/v1/pools/" + pool + "/holds",
            "/v1/pools/" + pool,
            "/v1/pools/" + pool + "/items");

    for (var path : paths) {
      var plain = api.get(path);
      var tokened = api.get(path, "Idempotency-Key", "looking");

      assertThat(plain.statusCode()).as(path).isEqualTo(200);
      assertThat(tokened.body()).isEqualTo(plain.body());
      assertThat(Api.isReplay(tokened)).isFalse();
    }
    assertThat(records.words(pool)).isEqualTo(words);
    assertThat(records.tokens(pool)).isEqualTo(token);
  }

  private static String ticketOf(String requester) {
    var pool = Stock.of(api, 2, "{\"waitingRoom\":true}").pool();
    var body = "{\"requester\":\"%s\"}".formatted(requester);
    var joined = api.post("/v1/pools/" + pool + "/queue", Api.token(), body);
    return Http.json(joined).get("ticket").asText();
  }

  private record Route(String method, String path) {}

  private static List<Route> changes() {
    return service
        .context()
        .getBean(Router.class)
        .uriRoutes()
        .filter(route -> !LOOKING.contains(route.getHttpMethod()))
        .map(route -> new Route(route.getHttpMethodName(), path(route)))
        .filter(route -> route.path.startsWith("/v1/"))
        .filter(route -> !route.path.endsWith("/heartbeat"))
        .filter(route -> !route.path.endsWith("/notices")) // the webhook-id is their token
        .filter(route -> !route.path.endsWith("/stream-tickets")) // signed, and stored nowhere
        .toList();
  }

  private static String path(UriRouteInfo<?, ?> route) {
    return route.getUriMatchTemplate().toPathString();
  }
}
