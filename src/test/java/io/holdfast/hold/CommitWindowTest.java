package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The answer to a confirm or a checkout is kept for longer than that to a hold. A confirm that can
/// no longer be committed within the window of its hold is refused.
@ExtendWith(RealServers.class)
class CommitWindowTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String SHORT =
      "{\"idempotencyWindowSeconds\":1,\"commitWindowSeconds\":600}";

  private static TestServers servers;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    records = new Records(given, api);
  }

  @Test
  @Requirement({"IR-CF-02", "IR-INV-2"})
  void a_confirm_is_repeated_after_the_window_of_holds_is_over() {
    var pool = api.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var sale = api.confirm(hold, token, "ann", "order-1");
    new RedisTokens(servers, pool).age(token, Duration.ofSeconds(2));

    var again = api.confirm(hold, token, "ann", "order-1");

    assertThat(again.body()).isEqualTo(sale.body());
    assertThat(Api.isReplay(again)).isTrue();
  }

  @Test
  @Requirement({"IR-INV-4", "IR-AW-09", "IR-AW-12"})
  void a_token_of_a_confirm_stays_bound_to_it_after_the_window_of_holds_is_over() {
    var pool = api.pool(2, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var other = api.hold(pool, "ben", "A-2");
    var token = Api.token();
    api.confirm(hold, token, "ann", "order-1");
    new RedisTokens(servers, pool).age(token, Duration.ofSeconds(2));

    var placed = api.place(pool, token, "cas", "A-2");
    var released = api.release(other.id(), token, "ben");

    assertThat(List.of(placed.statusCode(), released.statusCode())).containsExactly(422, 422);
    assertThat(api.counts(pool)).isEqualTo("0 free, 1 held");
  }

  @Test
  @Requirement({"IR-CF-01", "IR-CF-02"})
  void a_sale_and_a_checkout_are_kept_for_a_day_by_default_and_a_hold_for_ten_minutes() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    api.post("/v1/checkouts", Api.token(), "{\"holdId\":\"%s\"}".formatted(hold.id()));
    api.confirm(hold, Api.token(), "ann", "order-1");
    records.words(pool);

    var policy = Http.json(api.get("/v1/pools/" + pool)).get("policy");
    var windows =
        records.texts(
            "SELECT action || ' ' || extract(epoch FROM window_until - recorded_at)::int"
                + " FROM token_result WHERE pool = ? UNION ALL SELECT route || ' ' ||"
                + " extract(epoch FROM window_end - recorded_at)::int FROM request_result"
                + " WHERE pool = ?",
            pool,
            pool);

    assertThat(policy.get("commitWindowSeconds").asInt()).isEqualTo(86_400);
    assertThat(windows)
        .contains("place_hold 600", "confirm 86400", "create_checkout 86400", "create_pool 60");
  }

  @Test
  @Requirement("IR-CF-01")
  void the_window_of_routes_without_a_pool_is_a_setting(@TempDir Path folder) {
    var settings = Map.<String, Object>of("holdfast.idempotency-window", "90s");
    try (var service = Instances.start(servers, folder, settings)) {
      var pool = new Api(service.http(), api.key()).pool(1);

      var window =
          records.texts(
              "SELECT extract(epoch FROM window_end - recorded_at)::int FROM request_result"
                  + " WHERE pool = ?",
              pool);

      assertThat(window).containsExactly("90");
    }
  }

  @Test
  void a_confirm_within_the_clock_margin_is_refused_and_told_so(@TempDir Path folder) {
    var settings = Map.<String, Object>of("holdfast.pin", "20s", "holdfast.max-clock-skew", "10s");
    try (var service = Instances.start(servers, folder, settings)) {
      var careful = new Api(service.http(), api.key());
      var pool = api.pool(1, "{\"leaseSeconds\":9,\"windowSeconds\":9,\"heartbeatSeconds\":1}");
      var hold = api.hold(pool, "ann", "A-1");
      var token = Api.token();

      var refused = careful.confirm(hold, token, "ann", "order-1");
      var state = Http.json(api.read(hold.id())).get("state").asText();

      assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("410window-elapsed");
      assertThat(Http.json(refused).get("detail").asText()).contains("max-clock-skew", "expiresAt");
      assertThat(state).isEqualTo("HELD");
      assertThat(careful.confirm(hold, token, "ann", "order-1").body()).isEqualTo(refused.body());
      assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
      Await.until(PATIENCE, () -> api.stateOf(pool, "A-1").equals("FREE"));
    }
  }

  @Test
  void a_checkout_within_the_clock_margin_ends_without_a_payment(@TempDir Path folder) {
    var settings =
        Map.<String, Object>of(
            "holdfast.pin", "20s", "holdfast.max-clock-skew", "10s", "holdfast.demo", "true");
    try (var service = Instances.start(servers, folder, settings)) {
      var careful = new Checkouts(new Api(service.http(), api.key()));
      var pool = careful.pool(1, "{\"leaseSeconds\":9,\"windowSeconds\":9,\"heartbeatSeconds\":1}");
      var hold = api.hold(pool, "ann", "A-1");

      var failed = careful.pay(hold, "ann", "ok", Checkouts.PRICE);
      var state = Http.json(api.read(hold.id())).get("state").asText();

      assertThat(Api.code(failed)).as(failed.body()).isEqualTo("checkout-failed");
      assertThat(Http.json(failed).at("/failure/code").asText()).isEqualTo("window-elapsed");
      assertThat(Http.json(failed).at("/failure/detail").asText()).contains("max-clock-skew");
      assertThat(state).isEqualTo("HELD");
      assertThat(
              records.texts(
                  "SELECT call_id FROM payment_call WHERE payment_id LIKE 'co~" + pool + "%'"))
          .isEmpty();
      assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void a_reservation_within_the_clock_margin_is_not_called_expired(@TempDir Path folder) {
    var settings = Map.<String, Object>of("holdfast.pin", "20s", "holdfast.max-clock-skew", "10s");
    try (var service = Instances.start(servers, folder, settings)) {
      var careful = new Api(service.http(), api.key());
      var type = "type-" + Api.token();
      var policy = "{\"leaseSeconds\":9,\"windowSeconds\":9,\"heartbeatSeconds\":1}";
      var made =
          api.post(
              "/v1/pools",
              Api.token(),
              "{\"pool\":\"%s\",\"kind\":\"UNIQUE\",\"policy\":%s}".formatted(type, policy));
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      var value = "{\"type\":\"%s\",\"value\":\"alice\",\"ttlMs\":9000}".formatted(type);
      var id =
          Http.json(api.post("/v1/reservations", Api.token(), value)).get("reservationId").asText();
      var path = "/v1/reservations/" + id;
      var token = Api.token();

      var refused = careful.post(path + "/confirm", token, "{\"entityId\":\"user-1\"}");
      var status = Http.json(api.get(path)).get("status").asText();

      assertThat(refused.statusCode() + Api.code(refused))
          .isEqualTo("410reservation-already-expired");
      assertThat(Http.json(refused).get("detail").asText())
          .contains("max-clock-skew", "expiresAt")
          .doesNotContain("ran out");
      assertThat(status).isEqualTo("reserved");
      assertThat(careful.post(path + "/confirm", token, "{\"entityId\":\"user-1\"}").body())
          .isEqualTo(refused.body());
      assertThat(api.post(path + "/release", Api.token(), "{}").statusCode()).isEqualTo(200);
    }
  }
}
