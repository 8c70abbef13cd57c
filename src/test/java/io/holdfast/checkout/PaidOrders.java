package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Rows;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// Orders of seats that a checkout has paid, what of them is voided, and where the money is.
record PaidOrders(Checkouts checkouts, Rows rows) {
  static final Duration PATIENCE = Duration.ofSeconds(30);

  record Order(Hold hold, String checkoutId) {}

  Order paid(String pool, String method, String... seats) {
    var hold = checkouts.api().hold(pool, "ann", seats);
    var answer = checkouts.pay(hold, "ann", method, (long) seats.length * Checkouts.PRICE);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new Order(hold, Http.json(answer).get("checkoutId").asText());
  }

  HttpResponse<String> reverse(Order order, String body) {
    return reverse(order.hold, Api.token(), body);
  }

  HttpResponse<String> reverse(Hold hold, String token, String body) {
    return checkouts.api().post("/v1/commitments/cm~" + hold.id() + "/void", token, body);
  }

  /// The state in the API is FULFILLED before, during and after the refund of a part.
  void awaitPhase(Order order, String phase) {
    Await.until(
        PATIENCE,
        () ->
            rows.texts("SELECT phase FROM checkout WHERE checkout_id = ?", order.checkoutId)
                .equals(List.of(phase)));
  }

  String states(String pool, String... seats) {
    return Arrays.stream(seats)
        .map(seat -> checkouts.api().stateOf(pool, seat))
        .collect(Collectors.joining(" "));
  }

  String money(Order order) {
    return String.join(
        ", ",
        rows.texts(
            "SELECT kind || ' ' || cents FROM payment_entry WHERE checkout_id = ?"
                + " ORDER BY recorded_at, kind",
            order.checkoutId));
  }

  static String sorted(String money) {
    return Arrays.stream(money.split(", ")).sorted().collect(Collectors.joining(", "));
  }

  long sum(Order order, String kind) {
    return rows.number(
        "SELECT coalesce(sum(cents), 0) FROM payment_entry WHERE checkout_id = ? AND kind = ?",
        order.checkoutId,
        kind);
  }

  long providerHas(Order order) {
    return rows.number(
        "SELECT captured_cents - refunded_cents FROM simulated_payment WHERE payment_id = ?",
        order.checkoutId);
  }
}
