package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Parts of sales that are voided and refunded, while the rest stays sold.
@ExtendWith(RealServers.class)
class PartVoidTest {
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
    pool = checkouts.pool(60, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    checkouts.assertNothingIsLost();
    service.close();
  }

  @Test
  @Requirement("AU-13")
  void a_part_of_a_paid_order_is_free_and_refunded_and_the_rest_stays_sold() {
    var order = orders.paid(pool, "ok", "A-1", "A-2", "A-3");

    var voided = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-2\"]}");

    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
    var json = Http.json(voided);
    assertThat(json.get("refundCents").asLong()).isEqualTo(5_000);
    assertThat(json.get("items").toString()).isEqualTo("[\"A-2\"]");
    assertThat(json.get("remaining").asInt()).isEqualTo(2);
    assertThat(orders.states(pool, "A-1", "A-2", "A-3")).isEqualTo("SOLD FREE SOLD");
    orders.awaitPhase(order, "DONE");
    assertThat(orders.money(order)).isEqualTo("AUTHORISED 15000, CAPTURED 15000, REFUNDED 5000");
    assertThat(orders.providerHas(order)).isEqualTo(10_000);
    var checkout = checkouts.read(order.checkoutId());
    assertThat(checkout.get("state").asText()).isEqualTo("FULFILLED");
    assertThat(checkout.get("steps").get(5).get("name").asText()).isEqualTo("refund-1");
    assertThat(checkout.get("steps").get(5).get("state").asText()).isEqualTo("DONE");
    assertThat(api.hold(pool, "bob", "A-2").fence()).isGreaterThan(order.hold().fence());
    checkouts.assertNothingIsLost();
  }

  @Test
  @Requirement("AU-13")
  void an_order_is_voided_part_by_part_until_nothing_is_left() {
    var order = orders.paid(pool, "ok", "A-4", "A-5", "A-6");

    var first = orders.reverse(order, "{\"refund\":\"full\",\"items\":[\"A-4\"]}");
    var second = orders.reverse(order, "{\"refund\":\"none\",\"items\":[\"A-5\"]}");
    var last = orders.reverse(order, "{\"refund\":\"full\"}");
    var again = orders.reverse(order, "{\"refund\":\"full\"}");

    assertThat(List.of(first.statusCode(), second.statusCode(), last.statusCode()))
        .containsOnly(200);
    assertThat(Http.json(last).get("refundCents").asLong()).isEqualTo(5_000);
    assertThat(Http.json(last).get("remaining").asInt()).isZero();
    assertThat(Api.code(again)).isEqualTo("already-voided");
    assertThat(checkouts.awaitState(order.checkoutId(), "COMPENSATED")).isEqualTo("COMPENSATED");
    assertThat(PaidOrders.sorted(orders.money(order)))
        .isEqualTo("AUTHORISED 15000, CAPTURED 15000, KEPT 5000, REFUNDED 5000, REFUNDED 5000");
    assertThat(orders.providerHas(order)).isEqualTo(5_000);
    assertThat(orders.states(pool, "A-4", "A-5", "A-6")).isEqualTo("FREE FREE FREE");
    assertThat(
            rows.texts(
                "SELECT reversal_id || ' ' || array_to_string(items, ',') FROM reversal"
                    + " WHERE hold_id = ? ORDER BY voided_at",
                order.hold().id()))
        .containsExactly(
            "rv~" + order.hold().id() + " A-4",
            "rv~" + order.hold().id() + "~2 A-5",
            "rv~" + order.hold().id() + "~3 A-6");
  }

  @Test
  @Requirement("AU-13")
  void of_concurrent_voids_of_an_item_one_counts_and_all_parts_are_refunded_once() {
    var order = orders.paid(pool, "ok", "A-7", "A-8", "A-9", "A-10");
    var seats = List.of("A-7", "A-8", "A-9", "A-10");

    var answers =
        Together.run(
            16,
            i ->
                orders.reverse(
                    order, "{\"refund\":\"full\",\"items\":[\"%s\"]}".formatted(seats.get(i % 4))));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 200)).hasSize(4);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 200).map(Api::code))
        .containsOnly("already-voided");
    assertThat(checkouts.awaitState(order.checkoutId(), "COMPENSATED")).isEqualTo("COMPENSATED");
    assertThat(orders.providerHas(order)).isZero();
    assertThat(orders.sum(order, "REFUNDED")).isEqualTo(20_000);
  }

  @Test
  @Requirement("AU-13")
  void concurrent_parts_of_a_sale_without_a_payment_are_voided_as_a_whole_or_not_at_all() {
    var hold = api.hold(pool, "ann", "A-11", "A-12", "A-13");
    api.confirm(hold, Api.token(), "ann", "o-11");
    var parts = List.of("\"A-11\",\"A-12\"", "\"A-12\",\"A-13\"");

    var answers =
        Together.run(
            8,
            i ->
                orders.reverse(
                    hold,
                    Api.token(),
                    "{\"refund\":\"none\",\"items\":[%s]}".formatted(parts.get(i % 2))));

    var done = answers.stream().filter(answer -> answer.statusCode() == 200).toList();
    assertThat(done).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 200).map(Api::code))
        .containsOnly("already-voided");
    assertThat(Http.json(done.getFirst()).get("quantity").asInt()).isEqualTo(2);
    assertThat(
            rows.number(
                "SELECT count(*) FROM commitment WHERE hold_id = ? AND voided_at IS NOT NULL",
                hold.id()))
        .isEqualTo(2);
  }

  @Test
  @Requirement("AU-13")
  void a_retry_of_a_part_has_the_first_answer_and_no_second_refund() {
    var order = orders.paid(pool, "ok", "A-14", "A-15");
    var token = Api.token();
    var body = "{\"refund\":\"full\",\"items\":[\"A-14\"]}";

    var first = orders.reverse(order.hold(), token, body);
    orders.awaitPhase(order, "DONE");
    var again = orders.reverse(order.hold(), token, body);
    var fresh = orders.reverse(order, body);

    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(fresh)).isEqualTo("already-voided");
    assertThat(Http.json(fresh).get("items").toString()).isEqualTo("[\"A-14\"]");
    assertThat(orders.sum(order, "REFUNDED")).isEqualTo(5_000);
  }

  @Test
  @Requirement("AU-13")
  void a_part_refund_that_fails_is_repeated_and_a_hopeless_one_is_stuck_until_it_is_resumed() {
    var slow = orders.paid(pool, "fail-refund", "A-16", "A-17");
    var hopeless = orders.paid(pool, "stuck-refund", "A-18", "A-19", "A-20");

    orders.reverse(slow, "{\"refund\":\"full\",\"items\":[\"A-16\"]}");
    orders.reverse(hopeless, "{\"refund\":\"full\",\"items\":[\"A-18\"]}");

    orders.awaitPhase(slow, "DONE");
    assertThat(orders.sum(slow, "REFUNDED")).isEqualTo(5_000);
    orders.awaitPhase(hopeless, "STUCK");
    assertThat(Api.code(orders.reverse(hopeless, "{\"refund\":\"full\"}")))
        .isEqualTo("checkout-running");
    var path = "/v1/checkouts/" + hopeless.checkoutId() + "/resume";
    var resumed = api.post(path, Api.token(), "");
    assertThat(Http.json(resumed).get("state").asText()).as(resumed.body()).isEqualTo("FULFILLED");
    orders.awaitPhase(hopeless, "STUCK");
    assertThat(orders.sum(hopeless, "REFUNDED")).isZero();
    assertThat(orders.states(pool, "A-18", "A-19", "A-20")).isEqualTo("FREE SOLD SOLD");
  }

  @Test
  @Requirement("AU-13")
  void a_fulfilled_order_is_published_once_and_each_part_with_its_refund() {
    var order = orders.paid(pool, "ok", "A-21", "A-22");

    orders.reverse(order, "{\"refund\":\"partial\",\"refundCents\":2000,\"items\":[\"A-22\"]}");

    orders.awaitPhase(order, "DONE");
    assertThat(PaidOrders.sorted(orders.money(order)))
        .isEqualTo("AUTHORISED 10000, CAPTURED 10000, KEPT 3000, REFUNDED 2000");
    var path = "/v1/pools/" + pool + "/events?limit=500";
    Await.until(
        PaidOrders.PATIENCE,
        () ->
            Http.json(api.get(path)).findParents("subject").stream()
                .filter(event -> event.path("type").asText().equals("commitment.voided"))
                .anyMatch(event -> event.path("subject").asText().equals(order.hold().id())));
    var events = Http.json(api.get(path));
    var fulfilled = 0;
    var parts = 0;
    for (var event : events) {
      if (event.get("subject").asText().equals(order.checkoutId())) {
        fulfilled++;
      }
      if (event.get("subject").asText().equals(order.hold().id())
          && event.get("type").asText().equals("commitment.voided")) {
        parts++;
        var data = event.get("data");
        assertThat(data.get("items").toString())
            .isEqualTo("[{\"item\":\"A-22\",\"priceCents\":5000}]");
        assertThat(data.get("itemsRemaining").asInt()).isOne();
        assertThat(data.get("refund").get("amountCents").asLong()).isEqualTo(2_000);
      }
    }
    assertThat(fulfilled).isOne();
    assertThat(parts).isOne();
  }

  @Test
  void a_request_that_names_no_part_of_the_sale_voids_nothing() {
    var order = orders.paid(pool, "ok", "A-25", "A-26");

    for (var body :
        List.of(
            "{\"refund\":\"full\",\"items\":[\"A-1\"]}",
            "{\"refund\":\"full\",\"items\":[\"A-25\",\"A-25\"]}",
            "{\"refund\":\"full\",\"items\":[]}",
            "{\"refund\":\"full\",\"quantity\":1}",
            "{\"refund\":\"full\",\"items\":[\"A-25\"],\"quantity\":1}",
            "{\"refund\":\"partial\",\"refundCents\":5001,\"items\":[\"A-25\"]}",
            "{\"refund\":\"full\",\"feeCents\":5001,\"items\":[\"A-25\"]}")) {
      assertThat(Api.code(orders.reverse(order, body))).as(body).isEqualTo("invalid-request");
    }
    assertThat(orders.states(pool, "A-25", "A-26")).isEqualTo("SOLD SOLD");
    assertThat(orders.sum(order, "REFUNDED")).isZero();
  }
}
