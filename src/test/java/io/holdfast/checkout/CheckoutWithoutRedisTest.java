package io.holdfast.checkout;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.calm;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Redis is unavailable when a checkout is requested. An outcome that Postgres has stored under the
/// token is still returned.
@ExtendWith(RealServers.class)
class CheckoutWithoutRedisTest {
  private static FaultProxy redis;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    redis = FaultProxy.before(servers.redisUri());
    service =
        RealServers.start(
            servers,
            Map.of("holdfast.demo", "true", "redis.uri", redis.insteadOf(servers.redisUri())));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(4, "{}");
  }

  @AfterEach
  void heal() {
    redis.heal();
    calm(() -> api.get("/v1/pools/" + pool + "/items"));
  }

  @AfterAll
  static void close() {
    service.close();
    redis.close();
  }

  @Test
  void the_token_of_a_running_checkout_gets_its_answer_again() {
    var token = Api.token();
    var body =
        Checkouts.body(api.hold(pool, "ann", "A-1"), "ann", "late-webhook-20000", Checkouts.PRICE);
    var begun = checkouts.begin(token, body);
    cutRedis();

    var again = checkouts.begin(token, body);

    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(202);
    assertThat(Http.json(again).get("checkoutId")).isEqualTo(Http.json(begun).get("checkoutId"));
    assertThat(Api.isReplay(again)).isTrue();
  }

  @Test
  void a_new_checkout_does_not_start_and_its_token_can_be_used_again() {
    var token = Api.token();
    var hold = api.hold(pool, "ann", "A-2");
    var body = Checkouts.body(hold, "ann", "ok", Checkouts.PRICE);
    cutRedis();

    var refused = checkouts.begin(token, body);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(Http.json(refused).get("definite").asBoolean()).isTrue();
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(rows.number("SELECT count(*) FROM checkout WHERE hold_id = ?", hold.id())).isZero();
    redis.heal();
    var begun = decided(() -> checkouts.begin(token, body));
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    assertThat(Api.isReplay(begun)).isFalse();
  }

  /// Until the service has noticed.
  private static void cutRedis() {
    redis.cut();
    Await.until(
        PATIENCE,
        () -> {
          var answer = api.place(pool, Api.token(), "bob", "A-4");
          return answer.statusCode() == 503 && Http.json(answer).get("definite").asBoolean();
        });
  }
}
