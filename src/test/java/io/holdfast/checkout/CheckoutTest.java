package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A checkout turns a hold into a fulfilled order, or compensates.
@ExtendWith(RealServers.class)
@Tag("slow")
class CheckoutTest {
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
    pool = checkouts.pool(60, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  void a_hold_is_paid_for_and_sold_in_one_call() {
    var hold = api.hold(pool, "ann", "A-1", "A-2");

    var paid = checkouts.pay(hold, "ann", "ok", 2 * Checkouts.PRICE);

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    var checkout = Http.json(paid);
    assertThat(checkout.get("state").asText()).isEqualTo("FULFILLED");
    assertThat(checkout.get("failure").isNull()).isTrue();
    assertThat(checkout.get("steps").findValuesAsText("name"))
        .containsExactly("claim", "authorise", "commit", "capture", "fulfil");
    assertThat(checkout.get("steps").findValuesAsText("state")).containsOnly("DONE");
    assertThat(paid.headers().firstValue("Location"))
        .contains("/v1/checkouts/" + checkout.get("checkoutId").asText());
    assertThat(paid.headers().firstValue("Preference-Applied")).contains("wait=30");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(api.stateOf(pool, "A-2")).isEqualTo("SOLD");
    assertThat(money(checkout.get("checkoutId").asText()))
        .isEqualTo("AUTHORISED 10000, CAPTURED 10000");
  }

  @Test
  void without_a_prefer_header_the_answer_is_202_and_the_checkout_can_be_polled() {
    var hold = api.hold(pool, "ann", "A-3");

    var begun = checkouts.begin(Api.token(), Checkouts.body(hold, "ann", "ok", Checkouts.PRICE));

    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    var id = Http.json(begun).get("checkoutId").asText();
    assertThat(checkouts.awaitState(id, "FULFILLED")).isEqualTo("FULFILLED");
  }

  @Test
  @Requirement({"BR-X-3", "BR-K-1"})
  void equal_requests_at_once_are_one_checkout_and_one_payment() {
    var hold = api.hold(pool, "ann", "A-4");
    var body = Checkouts.body(hold, "ann", "ok", Checkouts.PRICE);
    var token = Api.token();
    var ids = new HashSet<String>();

    var answers = Together.run(16, _ -> checkouts.begin(token, body, "Prefer", "wait=20"));

    answers.forEach(
        answer -> {
          assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
          ids.add(Http.json(answer).get("checkoutId").asText());
        });
    assertThat(ids).hasSize(1);
    assertThat(answers.stream().filter(answer -> !Api.isReplay(answer))).hasSize(1);
    assertThat(money(ids.iterator().next())).isEqualTo("AUTHORISED 5000, CAPTURED 5000");
  }

  @Test
  @Requirement({"BR-S-1", "BR-S-7"})
  void a_declined_card_leaves_the_hold_unchanged() {
    var hold = api.hold(pool, "ann", "A-5");

    var paid = checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);

    assertThat(paid.statusCode()).isEqualTo(409);
    assertThat(Api.code(paid)).isEqualTo("checkout-failed");
    assertThat(Http.json(paid).get("failure").get("code").asText()).isEqualTo("payment-declined");
    assertThat(Http.json(paid).get("state").asText()).isEqualTo("COMPENSATED");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
    assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
    assertThat(api.stateOf(pool, "A-5")).isEqualTo("FREE");
  }

  @Test
  @Requirement({"BR-S-1", "BR-X-6", "PC-EC-3", "PC-INV-3"})
  void a_failed_capture_reverses_the_sale_and_leaves_no_money() {
    var hold = api.hold(pool, "ann", "A-6");

    var paid = checkouts.pay(hold, "ann", "fail-capture", Checkouts.PRICE);

    assertThat(Http.json(paid).get("state").asText()).isEqualTo("COMPENSATED");
    assertThat(money(Http.json(paid).get("checkoutId").asText()))
        .isEqualTo("AUTHORISED 5000, CANCELLED 5000");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(
            rows.number(
                "SELECT count(*) FROM reversal WHERE pool = ? AND hold_id = ?", pool, hold.id()))
        .isEqualTo(1);
    assertThat(api.stateOf(pool, "A-6")).isEqualTo("FREE");
    assertThat(api.hold(pool, "bob", "A-6").fence()).isGreaterThan(hold.fence());
  }

  @Test
  @Requirement({"BR-S-1", "BR-S-5"})
  void a_failed_fulfilment_refunds_all_the_money() {
    var hold = api.hold(pool, "ann", "A-7");

    var paid = checkouts.pay(hold, "ann", "fail-fulfil", Checkouts.PRICE);

    assertThat(Http.json(paid).get("failure").get("code").asText()).isEqualTo("fulfilment-failed");
    assertThat(money(Http.json(paid).get("checkoutId").asText()))
        .isEqualTo("AUTHORISED 5000, CAPTURED 5000, REFUNDED 5000");
    assertThat(api.stateOf(pool, "A-7")).isEqualTo("FREE");
  }

  @Test
  @Requirement("BR-S-6")
  void lost_answers_only_delay_a_checkout() {
    var lostAuthorise = api.hold(pool, "ann", "A-8");
    var lostCapture = api.hold(pool, "ann", "A-9");
    var silent = api.hold(pool, "ann", "A-10");

    var first = checkouts.pay(lostAuthorise, "ann", "lose-authorise", Checkouts.PRICE);
    var second = checkouts.pay(lostCapture, "ann", "timeout-capture", Checkouts.PRICE);
    var third = checkouts.pay(silent, "ann", "timeout-authorise", Checkouts.PRICE);

    assertThat(Http.json(first).get("state").asText()).isEqualTo("FULFILLED");
    assertThat(money(Http.json(first).get("checkoutId").asText()))
        .isEqualTo("AUTHORISED 5000, CAPTURED 5000");
    assertThat(Http.json(second).get("state").asText()).isEqualTo("FULFILLED");
    assertThat(Http.json(third).get("state").asText()).isEqualTo("COMPENSATED");
    assertThat(Http.json(third).get("failure").get("code").asText()).isEqualTo("no-answer");
    assertThat(api.stateOf(pool, "A-10")).isEqualTo("HELD");
  }

  @Test
  void duplicate_notices_of_a_provider_have_no_second_effect() {
    var hold = api.hold(pool, "ann", "A-11");

    var paid = checkouts.pay(hold, "ann", "duplicate-webhook", Checkouts.PRICE);

    assertThat(Http.json(paid).get("state").asText()).isEqualTo("FULFILLED");
    assertThat(money(Http.json(paid).get("checkoutId").asText()))
        .isEqualTo("AUTHORISED 5000, CAPTURED 5000");
  }

  @Test
  void during_a_checkout_no_other_call_can_end_or_sell_the_hold() {
    var hold = api.hold(pool, "ann", "A-12");
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(hold, "ann", "late-webhook-3000", Checkouts.PRICE));
    var id = Http.json(begun).get("checkoutId").asText();
    checkouts.awaitState(id, "CLAIMED");

    var release = api.release(hold.id(), Api.token(), "ann");
    var confirm = api.confirm(hold, Api.token(), "ann", "another order");
    var taken = api.place(pool, Api.token(), "bob", "A-12");

    assertThat(Api.code(release)).isEqualTo("not-held");
    assertThat(Api.code(confirm)).isEqualTo("attempt-collision");
    assertThat(Api.code(taken)).isEqualTo("resource-unavailable");
    assertThat(checkouts.awaitState(id, "FULFILLED")).isEqualTo("FULFILLED");
  }

  @Test
  @Requirement({"EC-RU-1", "EC-RU-4"})
  void the_end_of_a_checkout_publishes_a_fat_event() {
    var good = Http.json(checkouts.pay(api.hold(pool, "eve", "A-13", "A-14"), "eve", "ok", 10_000));
    var bad = Http.json(checkouts.pay(api.hold(pool, "eve", "A-15"), "eve", "fail-fulfil", 5_000));

    var fulfilled = event("checkout.fulfilled", good.get("checkoutId").asText());
    var compensated = event("checkout.compensated", bad.get("checkoutId").asText());

    assertThat(fulfilled.get("checkout").get("state").asText()).isEqualTo("FULFILLED");
    assertThat(fulfilled.get("items").findValuesAsText("item")).containsExactly("A-13", "A-14");
    assertThat(fulfilled.get("totalCents").asLong()).isEqualTo(10_000);
    assertThat(compensated.get("failure").get("code").asText()).isEqualTo("fulfilment-failed");
    assertThat(
            rows.number(
                "SELECT count(*) FROM (SELECT type, pool FROM event UNION ALL SELECT type, pool"
                    + " FROM event_fresh) e WHERE type = 'commitment.voided' AND pool = ?",
                pool))
        .isPositive();
  }

  /// It gets its place in the order of its pool a moment later.
  private static JsonNode event(String type, String subject) {
    Await.until(
        Duration.ofSeconds(10),
        () ->
            rows.number("SELECT count(*) FROM event WHERE type = ? AND subject = ?", type, subject)
                == 1);
    return Http.json(
        rows.texts("SELECT data FROM event WHERE type = ? AND subject = ?", type, subject)
            .getFirst());
  }

  private static String money(String checkoutId) {
    return String.join(
        ", ",
        rows.texts(
            "SELECT kind || ' ' || cents FROM payment_entry WHERE checkout_id = ?"
                + " ORDER BY recorded_at, kind",
            checkoutId));
  }
}
