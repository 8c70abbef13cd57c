package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An unused or invalid name is not known on any route.
@ExtendWith(RealServers.class)
class UnknownNamesTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nowhere", "x%00y", "%7Bp%7D", "a%20b", "pool~1~2", "%F0%9F%92%BA"})
  void an_impossible_pool_name_is_not_known(String name) {
    var path = "/v1/pools/" + name;

    assertNotKnown(api.get(path));
    assertNotKnown(api.get(path + "/items"));
    assertNotKnown(api.get(path + "/holds"));
    assertNotKnown(api.place(name, Api.token(), "ann", "A-1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "~~",
        "nowhere~1~0000000000000000",
        "p~0~0000000000000000",
        "%00",
        "p~zzzzzzzzzzz~0000000000000000",
        "p~1~000000000000000w"
      })
  void an_impossible_hold_id_is_not_known(String id) {
    assertNotKnown(api.read(id));
    assertNotKnown(api.heartbeat(id, "ann", 1));
    assertNotKnown(api.release(id, Api.token(), "ann"));
    assertNotKnown(api.expire(id, Api.token(), true));
  }

  private static void assertNotKnown(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + " " + Api.code(answer)).isEqualTo("404 not-known");
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(Http.json(answer).get("definite").asBoolean()).isTrue();
  }
}
