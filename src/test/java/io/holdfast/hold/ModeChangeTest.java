package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// One database, used with Redis, without it, and with it again: the Redis that was left alone
/// meanwhile still has all it knew, and none of it may count.
@ExtendWith(RealServers.class)
class ModeChangeTest {

  @Test
  void holds_live_on_fences_grow_and_nothing_old_counts(TestServers servers) {
    String pool;
    Api.Hold first;
    Api.Hold second;
    Api.Hold third;
    try (var withRedis = RealServers.start(servers, Map.of())) {
      var api = Api.of(withRedis);
      pool = api.pool(4);
      first = api.hold(pool, "ann", "A-1");
      drain(api, pool);
    }
    try (var without = RealServers.startWithoutRedis(servers, Map.of())) {
      var api = Api.of(without);
      assertThat(state(api, first)).isEqualTo("HELD");
      assertThat(api.place(pool, Api.token(), "bob", "A-1").statusCode()).isEqualTo(409);
      second = api.hold(pool, "bob", "A-2");
      assertThat(api.release(first.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
      third = api.hold(pool, "cleo", "A-1");
      assertThat(api.confirm(third, Api.token(), "cleo", "o-1").statusCode()).isEqualTo(200);
      drain(api, pool);
    }
    try (var again = RealServers.start(servers, Map.of())) {
      var api = Api.of(again);
      assertThat(state(api, first)).isEqualTo("RELEASED");
      assertThat(state(api, second)).isEqualTo("HELD");
      assertThat(Api.code(api.place(pool, Api.token(), "dan", "A-1")))
          .isEqualTo("resource-unavailable");
      var fourth = api.hold(pool, "dan", "A-3");

      assertThat(second.fence()).isGreaterThan(first.fence());
      assertThat(third.fence()).isGreaterThan(second.fence());
      assertThat(fourth.fence()).isGreaterThan(third.fence());
      assertThat(Http.json(api.get("/v1/audit/report")).get("ok").asBoolean()).isTrue();
    }
  }

  private static void drain(Api api, String pool) {
    assertThat(api.get("/v1/pools/" + pool + "/holds").statusCode()).isEqualTo(200);
  }

  private static String state(Api api, Api.Hold hold) {
    return Http.json(api.read(hold.id())).get("state").asText();
  }
}
