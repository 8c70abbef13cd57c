package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A payment is late, and the new hold expires between its claim and its sale because Postgres is
/// slow.
@ExtendWith(RealServers.class)
@Tag("slow")
class SlowSecondClaimTest {
  private static final String SHORT =
      "{\"leaseSeconds\":3,\"windowSeconds\":3,\"heartbeatSeconds\":1}";

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
  void a_claim_that_failed_is_returned() {
    var pool = checkouts.pool(1, SHORT);
    var hold = api.hold(pool, "ann", "A-1");
    everyOtherClaimLastsUntilItsEnd(hold);

    var paid = checkouts.pay(hold, "ann", "late-webhook-4500", Checkouts.PRICE);

    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(409);
    var id = rows.texts("SELECT checkout_id FROM checkout WHERE hold_id = ?", hold.id()).getFirst();
    assertThat(checkouts.awaitState(id, "COMPENSATED")).isEqualTo("COMPENSATED");
    assertThat(checkouts.read(id).get("failure").get("code").asText()).isEqualTo("window-elapsed");
    assertThat(rows.texts("SELECT kind FROM payment_entry WHERE checkout_id = ? ORDER BY kind", id))
        .containsExactly("AUTHORISED", "CANCELLED");
    assertThat(rows.texts("SELECT status FROM item WHERE pool = ?", pool)).containsExactly("FREE");
    Await.until(Duration.ofSeconds(20), () -> api.stateOf(pool, "A-1").equals("FREE"));
    var next = api.confirm(api.hold(pool, "bob", "A-1"), Api.token(), "bob", "order-bob");
    assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("EXPIRED");
  }

  private static void everyOtherClaimLastsUntilItsEnd(Api.Hold first) {
    rows.change(
        """
        CREATE FUNCTION take_until_the_end() RETURNS trigger LANGUAGE plpgsql AS
        $$
        BEGIN
            PERFORM pg_sleep_until(NEW.claim_until + interval '50 milliseconds');
            RETURN NEW;
        END
        $$
        """);
    rows.change(
        """
        CREATE TRIGGER take_until_the_end BEFORE UPDATE ON item FOR EACH ROW
        WHEN (NEW.status = 'CLAIMED' AND NEW.holder <> '%s')
        EXECUTE FUNCTION take_until_the_end()
        """
            .formatted(first.id()));
  }
}
