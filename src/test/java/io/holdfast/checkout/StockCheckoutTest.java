package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checkouts of a quantity.
@ExtendWith(RealServers.class)
class StockCheckoutTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;

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
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  void the_amount_is_the_quantity_times_the_price() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);

    var wrong = checkouts.pay(hold, "ann", "ok", Stock.PRICE);
    var paid = checkouts.pay(hold, "ann", "ok", 3 * Stock.PRICE);

    assertThat(Api.code(wrong)).isEqualTo("amount-mismatch");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    assertThat(Http.json(paid).get("state").asText()).isEqualTo("FULFILLED");
    assertThat(stock.row(rows)).isEqualTo("3 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("7 0 3"));
  }

  @Test
  void a_declined_payment_returns_the_claimed_units() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);

    var declined = checkouts.pay(hold, "ann", "decline", 3 * Stock.PRICE);

    assertThat(declined.statusCode()).as(declined.body()).isEqualTo(409);
    assertThat(stock.row(rows)).isEqualTo("0 0");
    assertThat(stock.counts()).as("the hold is still held").isEqualTo("7 3 0");
    assertThat(api.release(hold.id(), Api.token(), "ann").statusCode()).isEqualTo(200);
    assertThat(stock.counts()).isEqualTo("10 0 0");
  }

  @Test
  void a_failed_fulfilment_returns_the_sold_units() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);

    checkouts.pay(hold, "ann", "fail-fulfil", 3 * Stock.PRICE);

    Await.until(RetryingClient.PATIENCE, () -> stock.row(rows).equals("0 0"));
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("10 0 0"));
  }

  @Test
  void claimed_units_cannot_be_sold_to_others() {
    var stock = Stock.of(api, 3);
    var hold = stock.hold("ann", 3);
    var begun =
        checkouts.begin(
            Api.token(), Checkouts.body(hold, "ann", "late-webhook-2000", 3 * Stock.PRICE));
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);

    Await.until(RetryingClient.PATIENCE, () -> stock.row(rows).equals("0 3"));

    assertThat(stock.place(Api.token(), "bob", 1).statusCode()).isEqualTo(409);
    Await.until(RetryingClient.PATIENCE, () -> stock.row(rows).equals("3 0"));
  }

  @Test
  void a_paid_sale_is_voided_as_a_whole_and_refunded() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 3);
    var id =
        Http.json(checkouts.pay(hold, "ann", "ok", 3 * Stock.PRICE)).get("checkoutId").asText();
    var path = "/v1/commitments/cm~" + hold.id() + "/void";

    var whole = api.post(path, Api.token(), "{\"refund\":\"full\"}");

    assertThat(whole.statusCode()).as(whole.body()).isEqualTo(200);
    assertThat(Http.json(whole).get("refundCents").asLong()).isEqualTo(3 * Stock.PRICE);
    assertThat(checkouts.awaitState(id, "COMPENSATED")).isEqualTo("COMPENSATED");
    assertThat(stock.row(rows)).isEqualTo("0 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("10 0 0"));
  }
}
