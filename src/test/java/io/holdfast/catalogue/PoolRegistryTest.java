package io.holdfast.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.HashSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Pools are created once and can be read by every caller.
@ExtendWith(RealServers.class)
@Tag("cluster")
class PoolRegistryTest {
  private static TestServers servers;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
  }

  @Test
  void a_pool_is_made_once_and_its_name_stands_for_its_content() {
    var token = Api.token();
    var body = "{\"pool\":\"hall\",\"kind\":\"SEATS\",\"items\":[{\"item\":\"A-1\"}]}";

    var made = api.post("/v1/pools", token, body);
    var replay = api.post("/v1/pools", token, body);
    var same = api.post("/v1/pools", Api.token(), body);
    var other = api.post("/v1/pools", Api.token(), body.replace("A-1", "A-2"));
    var collision = api.post("/v1/pools", token, body.replace("A-1", "A-2"));

    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(made.body())
        .isEqualTo("{\"pool\":\"hall\",\"kind\":\"SEATS\",\"items\":1,\"epoch\":1}");
    assertThat(replay.statusCode()).isEqualTo(201);
    assertThat(replay.body()).isEqualTo(made.body());
    assertThat(Api.isReplay(replay)).isTrue();
    assertThat(same.statusCode()).isEqualTo(200);
    assertThat(same.body()).isEqualTo(made.body());
    assertThat(other.statusCode() + Api.code(other)).isEqualTo("409pool-exists");
    assertThat(collision.statusCode() + Api.code(collision)).isEqualTo("422token-collision");
  }

  @Test
  @Requirement("BR-T-2")
  void a_pool_of_seats_has_the_documented_default_policy() {
    var pool = api.pool(1);

    var policy = Http.json(api.get("/v1/pools/" + pool)).get("policy");
    var placed = api.place(pool, Api.token(), "ann", "A-1");

    assertThat(policy.toString())
        .isEqualTo(
            "{\"leaseSeconds\":600,\"windowSeconds\":1800,\"heartbeatSeconds\":120,"
                + "\"maxItemsPerHold\":8,\"maxHoldsPerRequester\":4,"
                + "\"idempotencyWindowSeconds\":600,\"commitWindowSeconds\":86400,\"currency\":\"EUR\","
                + "\"requireNonce\":false,\"waitingRoom\":false,\"compensate\":\"MANUAL\",\"refundFeeCents\":0}");
    assertThat(Api.time(placed, "leaseUntil"))
        .isEqualTo(Api.time(placed, "placedAt").plusSeconds(600));
    assertThat(Api.time(placed, "expiresAt"))
        .isEqualTo(Api.time(placed, "placedAt").plusSeconds(1_800));
  }

  @Test
  void a_pool_and_a_call_choose_how_long_a_hold_lasts() {
    var pool = api.pool(2, "{\"leaseSeconds\":30,\"windowSeconds\":90}");
    var body = "{\"requester\":\"ann\",\"items\":[\"A-2\"],\"leaseSeconds\":7}";

    var usual = api.place(pool, Api.token(), "ann", "A-1");
    var chosen = api.post("/v1/pools/" + pool + "/holds", Api.token(), body);

    assertThat(Api.time(usual, "leaseUntil"))
        .isEqualTo(Api.time(usual, "placedAt").plusSeconds(30));
    assertThat(Api.time(usual, "expiresAt")).isEqualTo(Api.time(usual, "placedAt").plusSeconds(90));
    assertThat(Api.time(chosen, "leaseUntil"))
        .isEqualTo(Api.time(chosen, "placedAt").plusSeconds(7));
  }

  @Test
  void following_the_links_lists_every_pool_once() {
    var made = IntStream.range(0, 5).mapToObj(_ -> api.pool(1)).toList();
    var met = new HashSet<String>();

    var path = "/v1/pools?limit=2";
    while (path != null) {
      var page = api.get(path);
      var names = Http.json(page).get("pools").valueStream().map(p -> p.get("pool").asText());
      assertThat(names.toList()).hasSizeBetween(1, 2).allMatch(met::add);
      path =
          page.headers()
              .firstValue("Link")
              .map(link -> link.replaceFirst("^<(.*)>; rel=\"next\"$", "$1"))
              .orElse(null);
    }

    assertThat(met).containsAll(made);
    assertThat(Api.code(api.get("/v1/pools?after=%00"))).isEqualTo("invalid-request");
  }

  @Test
  void a_request_with_the_current_etag_of_a_pool_gets_304() {
    var pool = api.pool(2);
    var path = "/v1/pools/" + pool + "/items";
    var first = api.get(path);
    var etag = first.headers().firstValue("ETag").orElseThrow();

    var unchanged = api.get(path, "If-None-Match", etag);
    api.hold(pool, "ann", "A-2");
    var changed = api.get(path, "If-None-Match", etag);

    assertThat(etag).startsWith("\"").endsWith("\"");
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.body()).isEmpty();
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.headers().firstValue("ETag"))
        .isPresent()
        .isNotEqualTo(first.headers().firstValue("ETag"));
    assertThat(Http.json(changed).get("items").toString())
        .isEqualTo("[{\"item\":\"A-1\",\"state\":\"FREE\"},{\"item\":\"A-2\",\"state\":\"HELD\"}]");
    assertThat(Http.json(changed).get("version").asLong())
        .isGreaterThan(Http.json(first).get("version").asLong());
  }

  @Test
  void a_pool_that_is_asked_for_again_tells_the_epoch_it_is_in() {
    var body = "{\"pool\":\"phoenix\",\"kind\":\"SEATS\",\"items\":[{\"item\":\"A-1\"}]}";
    api.post("/v1/pools", Api.token(), body);
    servers.forgetHolds();
    api.hold("phoenix", "ann", "A-1");

    var again = api.post("/v1/pools", Api.token(), body);

    var shown = Http.json(api.get("/v1/pools/phoenix"));
    assertThat(shown.get("epoch").asLong()).isEqualTo(2);
    assertThat(Http.json(again).get("epoch")).isEqualTo(shown.get("epoch"));
  }
}
