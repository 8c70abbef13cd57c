package io.holdfast.checkout.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A payment after the hold has expired: the old hold stays EXPIRED.
@ExtendWith(RealServers.class)
@Tag("slow")
class LatePaymentTest {
  private static final String SHORT =
      "{\"leaseSeconds\":3,\"windowSeconds\":3,\"heartbeatSeconds\":1,\"maxHoldsPerRequester\":50}";
  private static final String LATE = "late-webhook-4500";
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers servers) {
    service =
        RealServers.start(
            servers, Map.of("holdfast.demo", "true", "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    rows = Rows.of(servers);
    checkouts = new Checkouts(api);
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement({"H-12", "BR-T-6", "PC-INV-3", "PC-INV-7", "PC-ADV-1"})
  void a_late_payment_buys_a_new_hold_if_the_seat_is_free() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");

    var paid = checkouts.pay(hold, "ann", LATE, Checkouts.PRICE);

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    var replacement = Http.json(paid).get("replacedBy").asText();
    assertThat(replacement).isNotEqualTo(hold.id());
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("EXPIRED");
    var sold = Http.json(api.read(replacement));
    assertThat(sold.get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(sold.get("requester").asText()).isEqualTo("ann");
    assertThat(sold.get("fence").asLong()).isGreaterThan(hold.fence());
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("SOLD");
  }

  @Test
  void voiding_the_new_hold_reverses_the_checkout_that_sold_it() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var paid = Http.json(checkouts.pay(hold, "ann", LATE, Checkouts.PRICE));
    var replacement = paid.get("replacedBy").asText();
    var id = paid.get("checkoutId").asText();
    var tooLate = addFailed(id, replacement);

    var voided =
        api.post(
            "/v1/commitments/cm~" + replacement + "/void", Api.token(), "{\"refund\":\"full\"}");
    remove(tooLate);

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    assertThat(Http.json(voided).get("checkoutId").asText()).isEqualTo(id);
    checkouts.awaitState(id, "COMPENSATED");
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
  }

  /// A failed checkout of the new hold, which Postgres finds before the one that sold it.
  private static String addFailed(String other, String holdId) {
    var code = other.lastIndexOf('~') + 1;
    var first = other.substring(0, code) + "0".repeat(CheckoutId.CODE_LENGTH);
    rows.change(
        """
        INSERT INTO checkout
        SELECT (jsonb_populate_record(c, jsonb_build_object(
                    'checkout_id', ?::text, 'hold_id', ?::text, 'replacement_id', NULL,
                    'phase', 'COMPENSATED', 'steps_done', 0, 'failure_code', 'not-held',
                    'failure', 'the hold could not be claimed'))).*
          FROM checkout c WHERE checkout_id = ?
        """,
        first,
        holdId,
        other);
    rows.change(
        """
        INSERT INTO checkout_step (pool, checkout_id, ordinal, name, call_id, undo_id, state, undo)
        SELECT pool, ?::text, ordinal, name, ?::text || name, ?::text || name || ':undo',
               CASE ordinal WHEN 0 THEN 'FAILED' ELSE 'PLANNED' END, undo
          FROM checkout_step WHERE checkout_id = ?
        """,
        first,
        first,
        first,
        other);
    rows.change("CLUSTER checkout USING checkout_key");
    return first;
  }

  @Test
  @Requirement({"H-12", "BR-S-1", "AU-13"})
  void a_late_payment_is_returned_if_the_seat_costs_something_else_by_then() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(hold, "ann", "late-webhook-9000", Checkouts.PRICE));
    var id = Http.json(begun).get("checkoutId").asText();
    Await.until(Duration.ofSeconds(8), () -> api.stateOf(pool, "A-1").equals("FREE"));
    var dearer = "{\"prices\":[{\"item\":\"A-1\",\"priceCents\":9000}]}";
    var changed = api.patch("/v1/pools/" + pool, Api.token(), dearer);
    assertThat(Http.json(changed).get("repriced").asInt()).as(changed.body()).isOne();

    checkouts.awaitState(id, "FULFILLED", "COMPENSATED");

    assertThat(checkouts.read(id).get("failure").get("code").asText()).isEqualTo("amount-mismatch");
    assertThat(rows.texts("SELECT kind FROM payment_entry WHERE checkout_id = ? ORDER BY kind", id))
        .containsExactly("AUTHORISED", "CANCELLED");
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE pool = ?", pool)).isZero();
    Await.until(Duration.ofSeconds(30), () -> api.stateOf(pool, "A-1").equals("FREE"));
  }

  /// It has neither a log nor an event, which the auditor would miss.
  private static void remove(String added) {
    rows.change("DELETE FROM checkout_step WHERE checkout_id = ?", added);
    rows.change("DELETE FROM checkout WHERE checkout_id = ?", added);
  }

  @Test
  void an_unpaid_seat_is_free_once_its_hold_has_expired() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(hold, "ann", "late-webhook-9000", Checkouts.PRICE));
    var id = Http.json(begun).get("checkoutId").asText();
    Await.until(Duration.ofSeconds(8), () -> api.stateOf(pool, "A-1").equals("FREE"));

    var looks = rows.texts("SELECT changed_at FROM checkout WHERE checkout_id = ?", id);
    Await.until(
        Duration.ofSeconds(5),
        () ->
            !rows.texts("SELECT changed_at FROM checkout WHERE checkout_id = ?", id).equals(looks));

    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
    checkouts.awaitState(id, "FULFILLED");
  }

  @Test
  @Requirement({"H-12", "BR-S-1"})
  void a_late_payment_is_refunded_if_the_seat_is_taken() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(hold, "ann", "late-webhook-12000", Checkouts.PRICE));
    var id = Http.json(begun).get("checkoutId").asText();
    Await.until(Duration.ofSeconds(8), () -> api.stateOf(pool, "A-1").equals("FREE"));
    var sale = api.confirm(api.hold(pool, "bob", "A-1"), Api.token(), "bob", "order-bob");
    assertThat(sale.statusCode()).as(sale.body()).isEqualTo(200);

    checkouts.awaitState(id, "COMPENSATED");

    assertThat(checkouts.read(id).get("failure").get("code").asText())
        .isEqualTo("resource-unavailable");
    assertThat(rows.texts("SELECT kind FROM payment_entry WHERE checkout_id = ? ORDER BY kind", id))
        .containsExactly("AUTHORISED", "CANCELLED");
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("EXPIRED");
  }
}
