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
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The price of items changes while a checkout of them runs. A buyer pays the agreed price or
/// nothing, and the money always equals the price of the seats.
@ExtendWith(RealServers.class)
class PriceChangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.inflight-wait", "200ms",
                "holdfast.checkout-tries", "20",
                "holdfast.checkout-pause", "20ms",
                "holdfast.checkout-look", "100ms"));
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
  @Requirement("AU-13")
  void a_price_that_changes_before_the_claim_undoes_the_checkout_and_charges_nothing()
      throws SQLException {
    var pool = checkouts.pool(2, "{}");
    var hold = api.hold(pool, "ann", "A-1", "A-2");

    var id = beginAndChange(pool, hold, 2 * Checkouts.PRICE, "\"prices\":" + seatsFor(9_000));

    assertIsUndone(id, hold, 18_000);
    var paid = checkouts.pay(hold, "ann", "ok", 18_000);
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    var voided =
        api.post(
            "/v1/commitments/cm~" + hold.id() + "/void",
            Api.token(),
            "{\"refund\":\"full\",\"items\":[\"A-1\"]}");
    assertThat(Http.json(voided).get("refundCents").asLong()).isEqualTo(9_000);
    var order = new PaidOrders.Order(hold, Http.json(paid).get("checkoutId").asText());
    new PaidOrders(checkouts, rows).awaitPhase(order, "DONE");
  }

  @Test
  void so_does_the_price_of_a_unit() throws SQLException {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);

    var id = beginAndChange(stock.pool(), hold, 3 * Stock.PRICE, "\"priceCents\":4000");

    assertIsUndone(id, hold, 12_000);
    assertThat(stock.row(rows)).isEqualTo("0 0");
    var paid = checkouts.pay(hold, "ann", "ok", 12_000);
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
  }

  /// The units of a declined payment have a row with the price of that time.
  @Test
  void units_that_were_claimed_before_are_sold_at_the_present_price() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);
    checkouts.pay(hold, "ann", "decline", 3 * Stock.PRICE);
    change(stock.pool(), "\"priceCents\":4000");

    var old = checkouts.pay(hold, "ann", "ok", 3 * Stock.PRICE);
    var paid = checkouts.pay(hold, "ann", "ok", 12_000);

    assertThat(Api.code(old)).isEqualTo("amount-mismatch");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    assertThat(rows.texts("SELECT price_cents FROM commitment WHERE hold_id = ?", hold.id()))
        .containsExactly("4000", "4000", "4000");
  }

  @Test
  void a_confirm_sells_such_units_at_the_present_price_too() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);
    checkouts.pay(hold, "ann", "decline", 3 * Stock.PRICE);
    change(stock.pool(), "\"priceCents\":4000");

    assertThat(stock.confirm(hold, "ann", 3).statusCode()).isEqualTo(200);

    assertThat(rows.texts("SELECT price_cents FROM commitment WHERE hold_id = ?", hold.id()))
        .containsExactly("4000", "4000", "4000");
    assertThat(rows.texts("SELECT price_cents FROM item WHERE pool = ?", stock.pool()))
        .containsExactly("4000", "4000", "4000");
  }

  @Test
  void a_price_that_changes_after_the_claim_does_not_reach_the_items() {
    var pool = checkouts.pool(1, "{}");
    var hold = api.hold(pool, "ann", "A-1");
    var body = Checkouts.body(hold, "ann", "late-webhook-1500", Checkouts.PRICE);
    var id = Http.json(checkouts.begin(Api.token(), body)).get("checkoutId").asText();
    Await.until(
        PATIENCE,
        () ->
            rows.texts("SELECT status FROM item WHERE pool = ?", pool)
                .getFirst()
                .equals("CLAIMED"));

    var repriced = change(pool, "\"prices\":[{\"item\":\"A-1\",\"priceCents\":9000}]");

    assertThat(repriced).isZero();
    assertThat(checkouts.awaitState(id, "FULFILLED", "COMPENSATED")).isEqualTo("FULFILLED");
  }

  private static String seatsFor(long cents) {
    return """
    [{"item":"A-1","priceCents":%d},{"item":"A-2","priceCents":%d}]\
    """
        .formatted(cents, cents);
  }

  /// Starts a checkout whose claim meets a lock until the price has changed. The claim locks the
  /// key of its person first, so the change itself need not wait.
  private static String beginAndChange(String pool, Hold hold, long cents, String change)
      throws SQLException {
    api.get("/v1/pools/" + pool + "/holds"); // brings the hold to Postgres
    try (var other = servers.connection();
        var lock =
            other.prepareStatement(
                "SELECT 1 FROM person_key WHERE pseudonym ="
                    + " (SELECT pseudonym FROM hold WHERE hold_id = ?) FOR UPDATE")) {
      other.setAutoCommit(false);
      lock.setString(1, hold.id());
      assertThat(lock.executeQuery().next()).as("the key of the buyer").isTrue();
      var begun = checkouts.begin(Api.token(), Checkouts.body(hold, "ann", "ok", cents));
      assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
      var id = Http.json(begun).get("checkoutId").asText();
      Await.until(
          PATIENCE,
          () ->
              rows.number(
                      "SELECT count(*) FROM checkout_log"
                          + " WHERE checkout_id = ? AND step = 'claim' AND event = 'AGAIN'",
                      id)
                  > 0);
      change(pool, change);
      return id;
    }
  }

  /// Returns the number of items with another price; -1 for units.
  private static int change(String pool, String fields) {
    var changed = api.patch("/v1/pools/" + pool, Api.token(), "{" + fields + "}");
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    return Http.json(changed).path("repriced").asInt(-1);
  }

  private static void assertIsUndone(String id, Hold hold, long cents) {
    assertThat(checkouts.awaitState(id, "FULFILLED", "COMPENSATED")).isEqualTo("COMPENSATED");
    var failure = checkouts.read(id).get("failure");
    assertThat(failure.get("code").asText()).isEqualTo("amount-mismatch");
    assertThat(failure.toString()).contains(Long.toString(cents));
    assertThat(rows.number("SELECT count(*) FROM payment_call WHERE payment_id = ?", id)).isZero();
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
  }
}
