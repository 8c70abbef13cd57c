package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A checkout that cannot start gets a clear refusal, and nothing is charged or written.
@ExtendWith(RealServers.class)
class CheckoutProblemsTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(30, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @AfterEach
  void nothingIsCharged() {
    assertThat(
            rows.number(
                "SELECT count(*) FROM payment_call WHERE payment_id LIKE 'co~" + pool + "%'"))
        .isZero();
    assertThat(rows.number("SELECT count(*) FROM checkout WHERE pool = ?", pool)).isZero();
  }

  @Test
  void another_amount_or_currency_than_that_of_the_items_is_refused() {
    var hold = api.hold(pool, "ann", "A-1", "A-2");
    var cheaper = Checkouts.body(hold, "ann", "ok", 9_999);
    var dollars = Checkouts.body(hold, "ann", "ok", 10_000).replace("EUR", "USD");

    assertRefused(cheaper, 422, "amount-mismatch");
    assertRefused(dollars, 422, "amount-mismatch");
  }

  @Test
  void an_unknown_provider_or_method_is_refused() {
    var body = Checkouts.body(api.hold(pool, "ann", "A-3"), "ann", "ok", 5_000);

    assertRefused(body.replace("\"simulator\"", "\"bank of mars\""), 422, "unknown-provider");
    assertRefused(body.replace("\"ok\"", "\"shells\""), 422, "unknown-method");
  }

  @Test
  void a_wrong_fence_requester_or_hold_state_is_refused() {
    var hold = api.hold(pool, "ann", "A-4");
    var released = api.hold(pool, "ann", "A-5");
    api.release(released.id(), Api.token(), "ann");

    assertRefused(
        Checkouts.body(new Hold(hold.id(), hold.fence() + 1), "ann", "ok", 5_000),
        409,
        "stale-fence");
    assertRefused(Checkouts.body(hold, "bob", "ok", 5_000), 409, "not-held");
    assertRefused(Checkouts.body(released, "ann", "ok", 5_000), 409, "not-held");
  }

  @Test
  void an_expired_hold_cannot_be_paid_for() {
    var short1 =
        checkouts.pool(1, "{\"leaseSeconds\":1,\"windowSeconds\":1,\"heartbeatSeconds\":1}");
    var hold = api.hold(short1, "ann", "A-1");
    Await.until(
        Duration.ofSeconds(10),
        () -> Http.json(api.read(hold.id())).get("state").asText().equals("EXPIRED"));

    assertRefused(Checkouts.body(hold, "ann", "ok", 5_000), 410, "window-elapsed");
  }

  @Test
  void the_hold_of_another_caller_is_not_known() {
    var hold = api.hold(pool, "ann", "A-6");
    var other = new Checkouts(api.as("other-" + Api.token(), "hold", "commit"));

    var answer = other.begin(Api.token(), Checkouts.body(hold, "ann", "ok", 5_000));

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(Api.code(answer)).isEqualTo("not-known");
    assertRefused(Checkouts.body(new Hold("no-hold", 1), "ann", "ok", 5_000), 404, "not-known");
  }

  @Test
  void invalid_fields_are_named() {
    var body = Checkouts.body(api.hold(pool, "ann", "A-7"), "ann", "ok", 5_000);

    assertField(body.replace("5000", "-1"), "payment.amountCents");
    assertField(body.replace("\"EUR\"", "\"euro\""), "payment.currency");
    assertField(body.replace("\"method\"", "\"card\""), "payment.method");
    assertField(
        body.replace("\"currency\":\"EUR\"", "\"currency\":\"EUR\",\"cvc\":\"123\""),
        "payment.cvc");
    assertField("{\"holdId\":\"x\",\"requester\":\"ann\",\"fence\":1}", "payment");
  }

  @Test
  void a_checkout_without_a_token_is_refused() {
    var body = Checkouts.body(api.hold(pool, "ann", "A-8"), "ann", "ok", 5_000);

    var answer =
        Http.post(api.base(), "/v1/checkouts", body, "Authorization", "Bearer " + api.key());

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(Http.json(answer).get("field").asText()).isEqualTo("Idempotency-Key");
  }

  @Test
  @Requirement("IR-CFR-01")
  void a_refusal_is_stored_under_its_token() {
    var hold = api.hold(pool, "ann", "A-9");
    var token = Api.token();
    var wrong = Checkouts.body(hold, "ann", "ok", 1);

    var first = checkouts.begin(token, wrong);
    var again = checkouts.begin(token, wrong);
    var right = checkouts.begin(token, Checkouts.body(hold, "ann", "ok", 5_000));

    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(right)).isEqualTo("token-collision");
  }

  private static void assertField(String body, String field) {
    var answer = checkouts.begin(Api.token(), body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(Http.json(answer).get("field").asText()).isEqualTo(field);
  }

  private static void assertRefused(String body, int status, String code) {
    var answer = checkouts.begin(Api.token(), body, "Prefer", "wait=5");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(Api.code(answer)).isEqualTo(code);
  }
}
