package io.holdfast.web.openapi;

import static io.holdfast.web.openapi.ExampleWorld.REQUESTER;
import static io.holdfast.web.openapi.ExampleWorld.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.payment.notice.NoticeSecrets;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.VanishingRows;
import io.holdfast.web.openapi.ApiExamplesTest.Place;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;

/// Brings checkouts and sales into the states that operations of operators and providers need.
final class ExampleSales {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String SIMULATOR = "simulator";

  private final Api api;
  private final Rows rows;
  private final NoticeSecrets secrets;

  ExampleSales(Service service, TestServers servers) {
    this.api = Api.of(service);
    this.rows = Rows.of(servers);
    this.secrets = service.context().getBean(NoticeSecrets.class);
  }

  /// @return the id of a checkout that may be under way
  String begun(Hold hold, String method) {
    var body =
        """
        {"holdId":"%s","requester":"%s","fence":%d,
         "payment":{"provider":"simulator","method":"%s","amountCents":10000,"currency":"EUR"}}\
        """
            .formatted(hold.id(), REQUESTER, hold.fence(), method);
    return text(api.post("/v1/checkouts", Api.token(), body), "checkoutId");
  }

  /// @return the id of a checkout whose refund keeps failing
  String stuck(Hold hold) {
    var checkout = begun(hold, "stuck-refund");
    awaitState(checkout, "FULFILLED");
    var path = "/v1/commitments/cm~" + hold.id() + "/void";
    var voided = api.post(path, Api.token(), "{\"refund\":\"full\"}");
    assertThat(voided.statusCode()).as(voided.body()).isBetween(200, 299);
    awaitState(checkout, "STUCK");
    return checkout;
  }

  /// Sells the items of the hold, and the sale fails its verification.
  void fail(Hold hold) {
    VanishingRows.commitments(rows);
    try {
      var sale = api.confirm(hold, Api.token(), REQUESTER, "order-1");
      assertThat(Api.code(sale)).as(sale.body()).isEqualTo("compensating");
    } finally {
      VanishingRows.noMore(rows);
    }
  }

  /// The provider has accepted a payment, and its notice is awaited.
  Place awaitingNotice(Hold hold) {
    var checkout = begun(hold, "late-webhook-60000");
    var calls = "SELECT call_id FROM payment_call WHERE payment_id = ?";
    Await.until(PATIENCE, () -> rows.texts(calls, checkout).size() == 1);
    return Place.of("provider", SIMULATOR)
        .with("callId", rows.texts(calls, checkout).getFirst())
        .with("paymentId", checkout)
        .signed(this::signature);
  }

  private String[] signature(String body) {
    var secret = secrets.of(SIMULATOR).orElseThrow();
    var now = Clock.systemUTC().instant();
    return secret.headers("notice-" + UUID.randomUUID(), now, body).toArray(String[]::new);
  }

  private void awaitState(String checkout, String state) {
    Await.until(PATIENCE, () -> text(api.get("/v1/checkouts/" + checkout), "state").equals(state));
  }
}
