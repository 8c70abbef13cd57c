package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Another transaction locks the item of a checkout for longer than the checkout waits.
@ExtendWith(RealServers.class)
class LockedItemTest {
  private static final Duration LEASE = Duration.ofSeconds(9);

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
                "holdfast.demo",
                "true",
                "holdfast.inflight-wait",
                "200ms",
                "holdfast.checkout-tries",
                "20",
                "holdfast.checkout-lease",
                LEASE.toSeconds() + "s"));
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
  void an_attempt_that_met_a_lock_is_counted_and_repeated_soon(TestServers servers)
      throws SQLException {
    var pool = checkouts.pool(1, "{}");
    var hold = api.hold(pool, "ann", "A-1");
    String id;
    try (var other = servers.connection();
        var lock = other.prepareStatement("SELECT 1 FROM item WHERE pool = ? FOR UPDATE")) {
      other.setAutoCommit(false);
      lock.setString(1, pool);
      lock.executeQuery().close();
      var begun = checkouts.begin(Api.token(), Checkouts.body(hold, "ann", "ok", Checkouts.PRICE));
      id = Http.json(begun).get("checkoutId").asText();

      Await.until(
          LEASE.dividedBy(2),
          () ->
              rows.number(
                      "SELECT count(*) FROM checkout_log"
                          + " WHERE checkout_id = ? AND step = 'claim' AND event = 'AGAIN'",
                      id)
                  > 0);
    }
    assertThat(checkouts.awaitState(id, "FULFILLED", "COMPENSATED")).isEqualTo("FULFILLED");
  }
}
