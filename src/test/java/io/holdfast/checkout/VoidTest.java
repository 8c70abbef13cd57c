package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Voided sales and their refunds.
@ExtendWith(RealServers.class)
class VoidTest {
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
                "holdfast.demo",
                "true",
                "holdfast.checkout-pause",
                "20ms",
                "holdfast.checkout-look",
                "100ms"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(30, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement({"PC-EC-3", "PC-INV-3", "BR-S-5"})
  void a_paid_sale_is_voided_and_refunded_and_the_seat_is_free_at_once() {
    var sale = sold("A-1", "ok");

    var voided = reverse(sale, "{\"refund\":\"full\"}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    assertThat(Http.json(voided).get("refundCents").asLong()).isEqualTo(5_000);
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
    assertThat(checkouts.awaitState(sale.checkoutId, "COMPENSATED")).isEqualTo("COMPENSATED");
    assertThat(money(sale)).isEqualTo("AUTHORISED 5000, CAPTURED 5000, REFUNDED 5000");
    assertThat(Http.json(api.read(sale.holdId)).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(api.hold(pool, "bob", "A-1").fence()).isGreaterThan(sale.fence);
    assertThat(Api.code(reverse(sale, "{\"refund\":\"full\"}"))).isEqualTo("already-voided");
  }

  @Test
  @Requirement("BR-S-5")
  void a_refund_may_keep_a_fee_a_part_or_everything() {
    var withFee = sold("A-2", "ok");
    var inPart = sold("A-3", "ok");
    var nothing = sold("A-4", "ok");

    reverse(withFee, "{\"refund\":\"full\",\"feeCents\":500}");
    reverse(inPart, "{\"refund\":\"partial\",\"refundCents\":1000}");
    reverse(nothing, "{\"refund\":\"none\"}");

    checkouts.awaitState(withFee.checkoutId, "COMPENSATED");
    checkouts.awaitState(inPart.checkoutId, "COMPENSATED");
    checkouts.awaitState(nothing.checkoutId, "COMPENSATED");
    assertThat(money(withFee)).endsWith("REFUNDED 4500, KEPT 500");
    assertThat(money(inPart)).endsWith("REFUNDED 1000, KEPT 4000");
    assertThat(money(nothing)).endsWith("KEPT 5000");
  }

  @Test
  @Requirement("BR-S-5")
  void nothing_is_voided_after_the_agreed_time() {
    var sale = sold("A-5", "ok");
    Await.until(
        Duration.ofSeconds(10),
        () ->
            rows.number(
                    "SELECT count(*) FROM commitment WHERE hold_id = ?"
                        + " AND committed_at < clock_timestamp() - interval '1.1 seconds'",
                    sale.holdId)
                == 1);

    var late = reverse(sale, "{\"refund\":\"full\",\"withinSeconds\":1}");

    assertThat(Api.code(late)).isEqualTo("refund-too-late");
    assertThat(api.stateOf(pool, "A-5")).isEqualTo("SOLD");
  }

  @Test
  void a_sale_without_a_payment_is_voided_once() {
    var hold = api.hold(pool, "ann", "A-6");
    var commitment =
        Http.json(api.confirm(hold, Api.token(), "ann", "o")).get("commitmentId").asText();
    var path = "/v1/commitments/" + commitment + "/void";
    var token = Api.token();

    var first = api.post(path, token, "{\"refund\":\"none\"}");
    var again = api.post(path, token, "{\"refund\":\"none\"}");
    var second = api.post(path, Api.token(), "{\"refund\":\"none\"}");

    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.code(second)).isEqualTo("already-voided");
    assertThat(api.stateOf(pool, "A-6")).isEqualTo("FREE");
  }

  @Test
  @Requirement("H-8")
  void after_a_refund_a_logical_key_needs_the_hold_to_buy_the_same_item_again() {
    var first = api.hold(pool, "ann", "A-11");
    var ofTheSeat = ",\"logicalKey\":\"ann:arena:A-11\"";
    var sale = Http.json(api.confirm(first, Api.token(), "ann", "o-1", ofTheSeat));
    var path = "/v1/commitments/" + sale.get("commitmentId").asText() + "/void";
    api.post(path, Api.token(), "{\"refund\":\"none\"}");
    var second = api.hold(pool, "ann", "A-11");

    var refused = api.confirm(second, Api.token(), "ann", "o-2", ofTheSeat);
    var ofTheHold = ",\"logicalKey\":\"ann:arena:A-11:%s\"".formatted(second.fence());
    var bought = api.confirm(second, Api.token(), "ann", "o-2", ofTheHold);

    assertThat(Api.code(refused)).isEqualTo("replay-duplicate");
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    assertThat(Folders.project().resolve("docs/tokens.md"))
        .content()
        .contains("for buying the same thing again after a refund it needs the hold's id");
  }

  @Test
  void an_invalid_void_request_voids_nothing() {
    var sale = sold("A-7", "ok");

    assertThat(Api.code(reverse(sale, "{\"refund\":\"some\"}"))).isEqualTo("invalid-request");
    assertThat(Api.code(reverse(sale, "{\"refund\":\"partial\"}"))).isEqualTo("invalid-request");
    assertThat(Api.code(reverse(sale, "{\"refund\":\"none\",\"feeCents\":1}")))
        .isEqualTo("invalid-request");
    assertThat(Api.code(reverse(sale, "{\"refund\":\"partial\",\"refundCents\":5001}")))
        .isEqualTo("invalid-request");
    assertThat(Api.code(reverse(sale, "{\"refund\":\"full\",\"feeCents\":5001}")))
        .isEqualTo("invalid-request");
    assertThat(
            Api.code(api.post("/v1/commitments/cm~x/void", Api.token(), "{\"refund\":\"none\"}")))
        .isEqualTo("not-known");
    assertThat(api.stateOf(pool, "A-7")).isEqualTo("SOLD");
  }

  @Test
  @Requirement({"BR-S-3", "BR-S-6"})
  void a_failed_refund_is_repeated_until_it_succeeds() {
    var sale = sold("A-8", "fail-refund");

    reverse(sale, "{\"refund\":\"full\"}");

    assertThat(checkouts.awaitState(sale.checkoutId, "COMPENSATED", "STUCK"))
        .isEqualTo("COMPENSATED");
    assertThat(money(sale)).endsWith("REFUNDED 5000");
    assertThat(
            rows.number(
                "SELECT count(*) FROM checkout_log WHERE checkout_id = ? AND event = 'UNDO_FAILED'",
                sale.checkoutId))
        .isEqualTo(2);
  }

  @Test
  @Requirement({"BR-S-3", "BR-S-6"})
  void a_refund_that_never_succeeds_is_stuck_until_an_operator_resumes_it() {
    var sale = sold("A-9", "stuck-refund");
    reverse(sale, "{\"refund\":\"full\"}");
    checkouts.awaitState(sale.checkoutId, "STUCK");
    var clerk = api.as("clerk-" + Api.token(), "hold", "commit");
    var path = "/v1/checkouts/" + sale.checkoutId + "/resume";

    var forbidden = clerk.post(path, Api.token(), "");
    var resumed = api.post(path, Api.token(), "");

    assertThat(forbidden.statusCode()).isEqualTo(403);
    assertThat(resumed.statusCode()).as(resumed.body()).isEqualTo(200);
    assertThat(Http.json(resumed).get("state").asText()).isEqualTo("COMPENSATING");
    assertThat(checkouts.awaitState(sale.checkoutId, "STUCK")).isEqualTo("STUCK");
    assertThat(
            Api.code(
                api.post(
                    "/v1/checkouts/" + sold("A-10", "ok").checkoutId + "/resume", Api.token(), "")))
        .isEqualTo("not-stuck");
  }

  private record Sale(String holdId, long fence, String checkoutId) {}

  private static Sale sold(String seat, String method) {
    var hold = api.hold(pool, "ann", seat);
    var paid = checkouts.pay(hold, "ann", method, Checkouts.PRICE);
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    return new Sale(hold.id(), hold.fence(), Http.json(paid).get("checkoutId").asText());
  }

  private static HttpResponse<String> reverse(Sale sale, String body) {
    return api.post("/v1/commitments/cm~" + sale.holdId + "/void", Api.token(), body);
  }

  private static String money(Sale sale) {
    return String.join(
        ", ",
        rows.texts(
            "SELECT kind || ' ' || cents FROM payment_entry WHERE checkout_id = ?"
                + " ORDER BY recorded_at, kind",
            sale.checkoutId));
  }
}
