package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.checkout.PaidOrders.Order;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What of a voided part is refunded, and that the records prove it.
@ExtendWith(RealServers.class)
class PartRefundTest {
  private static Service service;
  private static Api api;
  private static Rows rows;
  private static Checkouts checkouts;
  private static PaidOrders orders;
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
    orders = new PaidOrders(checkouts, rows);
    pool = checkouts.pool(10, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement("AU-13")
  void the_terms_of_a_refund_are_those_at_the_time_of_the_sale() {
    var own = checkouts.pool(6, "{\"refundFeeCents\":300,\"refundWithinSeconds\":3600}");
    var order = orders.paid(own, "ok", "A-1", "A-2", "A-3");
    rows.change(
        "UPDATE pool SET policy = policy || '{\"refundFeeCents\":4000,\"refundWithinSeconds\":1}'"
            + " WHERE pool = ?",
        own);
    var later = orders.paid(own, "ok", "A-4", "A-5");
    Await.until(
        PaidOrders.PATIENCE,
        () ->
            rows.number(
                    "SELECT count(*) FROM commitment WHERE hold_id = ?"
                        + " AND committed_at < clock_timestamp() - interval '1.1 seconds'",
                    later.hold().id())
                == 2);

    var first = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-1\"]}");
    var rest = orders.reverse(order, "{\"refund\":\"full\"}");
    var late = orders.reverse(later, "{\"refund\":\"full\",\"items\":[\"A-4\"]}");
    var lateFree = orders.reverse(later, "{\"refund\":\"none\",\"items\":[\"A-4\"]}");
    var kindly =
        orders.reverse(later, "{\"refund\":\"full\",\"feeCents\":0,\"withinSeconds\":3600}");

    assertThat(Http.json(first).get("refundCents").asLong()).isEqualTo(4_700);
    assertThat(Http.json(rest).get("refundCents").asLong()).isEqualTo(9_400);
    assertThat(Http.json(rest).get("keptCents").asLong()).isEqualTo(600);
    assertThat(Api.code(late)).isEqualTo("refund-too-late");
    assertThat(lateFree.statusCode()).as(lateFree.body()).isEqualTo(200);
    assertThat(Http.json(kindly).get("refundCents").asLong()).isEqualTo(5_000);
    checkouts.awaitState(order.checkoutId(), "COMPENSATED");
    checkouts.awaitState(later.checkoutId(), "COMPENSATED");
    assertThat(orders.sum(order, "KEPT")).isEqualTo(900);
    assertThat(Http.json(api.get("/v1/pools/" + own)).get("policy").get("refundFeeCents").asLong())
        .isPositive();
  }

  @Test
  @Requirement("AU-13")
  void the_price_of_a_part_is_the_one_at_which_it_was_sold() {
    var own = checkouts.pool(3, "{}");
    var order = orders.paid(own, "ok", "A-1", "A-2", "A-3");
    var first = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-1\"]}");
    orders.awaitPhase(order, "DONE");
    var dearer =
        """
        {"prices":[{"item":"A-1","priceCents":9999},{"item":"A-2","priceCents":9999},
                   {"item":"A-3","priceCents":9999}]}\
        """;
    var repriced = api.patch("/v1/pools/" + own, Api.token(), dearer);
    var again = checkouts.api().hold(own, "ben", "A-1");
    var paid = checkouts.pay(again, "ben", "ok", 9_999);
    var bens = new Order(again, Http.json(paid).get("checkoutId").asText());

    var second = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-2\"]}");
    var whole = orders.reverse(bens, "{\"refund\":\"full\"}");

    assertThat(Http.json(repriced).get("repriced").asInt()).as("sold items keep theirs").isOne();
    assertThat(Http.json(first).get("refundCents").asLong()).isEqualTo(5_000);
    assertThat(Http.json(second).get("refundCents").asLong()).isEqualTo(5_000);
    assertThat(Http.json(whole).get("refundCents").asLong()).isEqualTo(9_999);
    orders.awaitPhase(order, "DONE");
    checkouts.awaitState(bens.checkoutId(), "COMPENSATED");
    assertThat(orders.providerHas(order)).isEqualTo(5_000);
  }

  @Test
  @Requirement("AU-13")
  void units_of_a_paid_quantity_are_voided_in_parts() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 4);
    var answer = checkouts.pay(hold, "ann", "ok", 4 * Stock.PRICE);
    var order = new Order(hold, Http.json(answer).get("checkoutId").asText());

    var two = orders.reverse(order, "{\"refund\":\"full\",\"quantity\":2}");
    orders.awaitPhase(order, "DONE");
    var tooMany = orders.reverse(order, "{\"refund\":\"full\",\"quantity\":3}");
    var named = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"1\"]}");

    assertThat(Http.json(two).get("refundCents").asLong()).isEqualTo(2 * Stock.PRICE);
    assertThat(Api.code(tooMany)).isEqualTo("invalid-request");
    assertThat(Api.code(named)).isEqualTo("invalid-request");
    assertThat(stock.row(rows)).isEqualTo("2 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("8 0 2"));
    assertThat(orders.providerHas(order)).isEqualTo(2 * Stock.PRICE);

    var rest = orders.reverse(order, "{\"refund\":\"full\",\"quantity\":2}");

    assertThat(Http.json(rest).get("remaining").asInt()).isZero();
    checkouts.awaitState(order.checkoutId(), "COMPENSATED");
    assertThat(stock.row(rows)).isEqualTo("0 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("10 0 0"));
    assertThat(orders.providerHas(order)).isZero();
  }

  @Test
  @Requirement("AU-13")
  void of_concurrent_voids_of_units_none_takes_a_part_of_its_quantity() {
    var stock = Stock.of(api, 10);
    var hold = stock.hold("ann", 5);
    stock.confirm(hold, "ann", 5);

    var answers =
        Together.run(
            6, _ -> orders.reverse(hold, Api.token(), "{\"refund\":\"none\",\"quantity\":2}"));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 200)).hasSize(2);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 200).map(Api::code))
        .containsOnly("invalid-request");
    assertThat(stock.row(rows)).isEqualTo("1 0");
    Await.until(RetryingClient.PATIENCE, () -> stock.counts().equals("9 0 1"));
  }

  @Test
  @Requirement("AU-13")
  void a_part_that_is_voided_while_another_is_refunded_is_refunded_too() throws SQLException {
    var order = orders.paid(pool, "ok", "A-7", "A-8", "A-9");
    try (var connection = rows.connections().get();
        var lock =
            connection.prepareStatement(
                "SELECT 1 FROM simulated_payment WHERE payment_id = ? FOR UPDATE")) {
      connection.setAutoCommit(false);
      lock.setString(1, order.checkoutId());
      lock.execute(); // the provider answers no call for now
      orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-7\"]}");
      Await.until(
          PaidOrders.PATIENCE,
          () ->
              rows.number(
                      "SELECT count(*) FROM payment_call WHERE call_id = ?",
                      order.checkoutId() + ":refund-1:undo")
                  == 1);

      var second = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-8\"]}");

      assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
      connection.rollback();
    }
    orders.awaitPhase(order, "DONE");
    assertThat(orders.sum(order, "REFUNDED")).isEqualTo(10_000);
    assertThat(orders.providerHas(order)).isEqualTo(Checkouts.PRICE);
  }

  @Test
  @Requirement("AU-13")
  void postgres_refuses_to_give_back_more_than_was_captured() {
    var order = orders.paid(pool, "ok", "A-3", "A-4");
    orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-3\"]}");
    orders.awaitPhase(order, "DONE");

    assertThatThrownBy(
            () ->
                rows.change(
                    "INSERT INTO payment_entry (pool, checkout_id, call_id, kind, cents, currency,"
                        + " reference) VALUES (?, ?, 'x', 'REFUNDED', 5001, 'EUR', 'x')",
                    pool,
                    order.checkoutId()))
        .hasRootCauseInstanceOf(SQLException.class)
        .rootCause()
        .hasMessageContaining("cannot give back more than it has captured");
  }

  @Test
  @Requirement({"AU-13", "IR-GA-2"})
  void the_auditor_finds_a_part_that_was_not_refunded_and_an_item_voided_twice()
      throws SQLException {
    var order = orders.paid(pool, "ok", "A-5", "A-6");
    orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-5\"]}");
    orders.awaitPhase(order, "DONE");
    assertThat(violations("P7", "AU-13", "PC-EC-3")).containsOnly(0L);
    var entry = "checkout_id = '%s' AND kind = 'REFUNDED'".formatted(order.checkoutId());
    var reversal = "hold_id = '%s'".formatted(order.hold().id());

    forge("UPDATE payment_entry SET cents = cents - 1 WHERE " + entry);
    var lost = violations("P7", "AU-13", "PC-EC-3");
    forge("UPDATE payment_entry SET cents = cents + 1 WHERE " + entry);
    forge(
        "INSERT INTO reversal SELECT pool, hold_id, reversal_id || 'x', reversed_by, reason,"
            + " voided_at, quantity, items, value_cents, refund_cents FROM reversal WHERE "
            + reversal);
    var twice = violations("P7", "AU-13", "PC-EC-3");
    forge("DELETE FROM reversal WHERE reversal_id LIKE '%x' AND " + reversal);

    assertThat(lost).containsExactly(1L, 1L, 0L);
    assertThat(twice).containsExactly(0L, 0L, 1L);
    assertThat(violations("P7", "AU-13", "PC-EC-3")).containsOnly(0L);
  }

  /// The triggers, which forbid it, are off.
  private static void forge(String sql) throws SQLException {
    try (var connection = rows.connections().get();
        var statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      assertThat(statement.executeUpdate(sql)).isOne();
    }
  }

  private static List<Long> violations(String... ids) {
    var checks = Http.json(api.get("/v1/audit/report")).get("checks");
    return Arrays.stream(ids)
        .map(
            id -> {
              for (var each : checks) {
                if (each.get("id").asText().equals(id)) {
                  return each.get("violations").asLong();
                }
              }
              throw new AssertionError("no check " + id);
            })
        .toList();
  }
}
