package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.VanishingRows;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checkouts during faults. A call to a provider may take three times as long as a lease.
@ExtendWith(RealServers.class)
class CheckoutFaultsTest {
  private static Service service;
  private static Rows rows;
  private static Api api;
  private static Checkouts checkouts;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers) {
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.checkout-lease", "1500ms",
                "holdfast.checkout-look", "50ms",
                "holdfast.checkout-pause", "10ms",
                "holdfast.checkout-tries", "2",
                "holdfast.payment-timeout", "4s"));
    rows = Rows.of(servers);
    api = Api.of(service);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(4, "{}");
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  void a_provider_that_is_silent_for_longer_than_a_lease_is_given_up() {
    var hold = api.hold(pool, "ann", "A-1");

    var answer = checkouts.pay(hold, "ann", "timeout-authorise", Checkouts.PRICE);

    assertThat(Api.code(answer)).as(answer.body()).isEqualTo("checkout-failed");
    var id = Http.json(answer).get("checkoutId").asText();
    assertThat(checkouts.read(id).get("state").asText()).isEqualTo("COMPENSATED");
    assertThat(rows.number("SELECT asked FROM simulated_call WHERE call_id = ?", id + ":authorise"))
        .as("by nobody but the runner that was there, once for each of its tries")
        .isEqualTo(2);
  }

  @Test
  void a_sale_that_fails_its_verification_is_not_paid_for() {
    var hold = api.hold(pool, "bob", "A-2");
    VanishingRows.commitments(rows);
    try {
      var answer = checkouts.pay(hold, "bob", "ok", Checkouts.PRICE);

      assertThat(Api.code(answer)).as(answer.body()).isEqualTo("checkout-failed");
      assertThat(rows.texts("SELECT DISTINCT kind FROM payment_entry ORDER BY kind"))
          .doesNotContain("CAPTURED")
          .contains("CANCELLED");
    } finally {
      VanishingRows.noMore(rows);
    }
  }
}
