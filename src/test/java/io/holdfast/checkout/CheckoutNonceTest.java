package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.subject.CallerText;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checkouts with a nonce and with a logical key of the caller.
@ExtendWith(RealServers.class)
class CheckoutNonceTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.checkout-pause", "20ms",
                "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(30, "{\"requireNonce\":true,\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement({"RS-ID-4", "RS-ID-5"})
  void a_nonce_is_consumed_with_the_sale_of_a_checkout() {
    var hold = api.hold(pool, "ann", "A-1");
    var other = api.hold(pool, "ann", "A-2");
    var nonce = nonce(hold, "confirm", 60);

    assertThat(Api.code(pay(hold, "ok", ""))).isEqualTo("nonce-unbound");
    assertThat(Api.code(pay(hold, "ok", with(nonce(other, "confirm", 60)))))
        .isEqualTo("nonce-unbound");
    assertThat(Api.code(pay(hold, "ok", with(nonce(hold, "compensate", 60)))))
        .isEqualTo("nonce-unbound");
    var paid = pay(hold, "ok", with(nonce));

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    assertThat(
            rows.texts(
                "SELECT consumed_by FROM authorization_nonce"
                    + " WHERE hold_id = ? AND consumed_at IS NOT NULL",
                hold.id()))
        .containsExactly(CallerText.hashed("hold:" + hold.id()));
  }

  @Test
  @Requirement("RS-ID-4")
  void a_used_nonce_on_a_sold_hold_is_refused_before_any_conflict() {
    var paid = api.hold(pool, "ann", "A-3");
    var nonce = nonce(paid, "confirm", 60);
    assertThat(pay(paid, "ok", with(nonce)).statusCode()).isEqualTo(200);
    var sold = api.hold(pool, "ann", "A-4");
    var used = nonce(sold, "confirm", 60);
    assertThat(api.confirm(sold, Api.token(), "ann", "o", with(used)).statusCode()).isEqualTo(200);

    assertThat(Api.code(pay(paid, "ok", with(nonce)))).isEqualTo("nonce-consumed");
    assertThat(Api.code(pay(paid, "ok", with(nonce(paid, "confirm", 60)))))
        .isEqualTo("checkout-exists");
    assertThat(Api.code(api.confirm(paid, Api.token(), "ann", "o", with(nonce))))
        .isEqualTo("nonce-consumed");
    assertThat(Api.code(api.confirm(sold, Api.token(), "ann", "o-2", with(used))))
        .isEqualTo("nonce-consumed");
    assertThat(Api.code(api.confirm(sold, Api.token(), "ann", "o", with(used) + key("other"))))
        .isEqualTo("nonce-consumed");
    assertThat(Api.code(pay(sold, "ok", with(used)))).isEqualTo("nonce-consumed");
    var fresh = with(nonce(sold, "confirm", 60));
    assertThat(Api.code(api.confirm(sold, Api.token(), "ann", "o-2", fresh)))
        .isEqualTo("replay-duplicate");
    var repeat = api.confirm(sold, Api.token(), "ann", "o", with(used));
    assertThat(repeat.statusCode()).as("the same purchase again").isEqualTo(200);
  }

  @Test
  void a_declined_payment_does_not_use_up_the_nonce() {
    var hold = api.hold(pool, "ann", "A-5");
    var nonce = with(nonce(hold, "confirm", 60));

    var declined = pay(hold, "decline", nonce);
    var paid = pay(hold, "ok", nonce);

    assertThat(Api.code(declined)).isEqualTo("checkout-failed");
    assertThat(Http.json(declined).get("commitmentId").isNull()).isTrue();
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
  }

  @Test
  @Requirement("RS-ID-5")
  void a_nonce_whose_time_ends_during_the_payment_sells_nothing() {
    var hold = api.hold(pool, "ann", "A-6");

    var body = body(hold, "late-webhook-5000", with(nonce(hold, "confirm", 60)));
    var begun = checkouts.begin(Api.token(), body);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    anHourPasses(hold);

    var id = Http.json(begun).get("checkoutId").asText();
    checkouts.awaitState(id, "COMPENSATED", "FULFILLED");
    assertThat(checkouts.read(id).at("/failure/code").asText()).isEqualTo("nonce-unbound");
    assertThat(money(begun)).isEqualTo("AUTHORISED, CANCELLED");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
  }

  @Test
  @Requirement("RS-ID-2")
  void a_logical_key_is_consumed_by_a_checkout_once() {
    var key = "order/" + Api.token();
    var first = api.hold(pool, "ann", "A-7");
    var second = api.hold(pool, "ann", "A-8");

    var paid = pay(first, "ok", with(nonce(first, "confirm", 60)) + key(key));
    var again = pay(second, "ok", with(nonce(second, "confirm", 60)) + key(key));

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    assertThat(Http.json(again).at("/failure/code").asText()).isEqualTo("replay-duplicate");
    assertThat(money(again)).isEmpty();
    var found = api.get("/v1/operations?pool=" + pool + "&logicalKey=" + key);
    assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
    assertThat(
            rows.number("SELECT count(*) FROM consumed_request WHERE logical_key = hashed(?)", key))
        .isOne();
  }

  @Test
  void the_end_of_a_checkout_names_its_sale() {
    var sold = api.hold(pool, "ann", "A-9");
    var undone = api.hold(pool, "ann", "A-10");

    var paid = pay(sold, "ok", with(nonce(sold, "confirm", 60)));
    var failed = pay(undone, "fail-fulfil", with(nonce(undone, "confirm", 60)));

    assertThat(Http.json(paid).get("commitmentId").asText()).isEqualTo("cm~" + sold.id());
    assertThat(Api.code(failed)).isEqualTo("checkout-failed");
    assertThat(Http.json(failed).get("commitmentId").asText()).isEqualTo("cm~" + undone.id());
    for (var answer : List.of(paid, failed)) {
      var shown = Http.json(answer);
      assertThat(checkouts.read(shown.get("checkoutId").asText()).get("commitmentId"))
          .isEqualTo(shown.get("commitmentId"));
    }
  }

  private static HttpResponse<String> pay(Hold hold, String method, String more) {
    return checkouts.begin(Api.token(), body(hold, method, more), "Prefer", "wait=30");
  }

  private static String body(Hold hold, String method, String more) {
    var body = Checkouts.body(hold, "ann", method, Checkouts.PRICE);
    return body.substring(0, body.lastIndexOf('}')) + more + "}";
  }

  private static void anHourPasses(Hold hold) {
    var trigger = " TRIGGER authorization_nonce_is_used_once";
    rows.change("ALTER TABLE authorization_nonce DISABLE" + trigger);
    rows.change(
        "UPDATE authorization_nonce SET not_before = not_before - interval '1 hour',"
            + " not_after = not_after - interval '1 hour' WHERE hold_id = ?",
        hold.id());
    rows.change("ALTER TABLE authorization_nonce ENABLE" + trigger);
  }

  private static String with(String nonce) {
    return ",\"nonce\":\"%s\"".formatted(nonce);
  }

  private static String key(String key) {
    return ",\"logicalKey\":\"%s\"".formatted(key);
  }

  private static String nonce(Hold hold, String operation, int seconds) {
    var body =
        "{\"holdId\":\"%s\",\"operation\":\"%s\",\"validSeconds\":%d}"
            .formatted(hold.id(), operation, seconds);
    return Http.json(api.post("/v1/authorizations", Api.token(), body)).get("nonce").asText();
  }

  private static String money(HttpResponse<String> answer) {
    return String.join(
        ", ",
        rows.texts(
            "SELECT kind FROM payment_entry WHERE checkout_id = ? ORDER BY 1",
            Http.json(answer).get("checkoutId").asText()));
  }
}
