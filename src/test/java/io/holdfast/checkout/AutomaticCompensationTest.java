package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.VanishingRows;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A sale that cannot be reversed keeps no other one from being reversed.
@ExtendWith(RealServers.class)
class AutomaticCompensationTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /// More than a page of due sales. Their ids begin with 100 to 13b, those of real holds with 1z.
  private static final int REFUSED = 120;

  private static final int FIRST = 36 * 36;

  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of());
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @AfterEach
  void rowsStay() {
    VanishingRows.noMore(rows);
  }

  @Test
  @Requirement("AU-6")
  void sales_that_are_refused_or_fail_for_good_do_not_hide_the_others() {
    var pool = new Checkouts(api).pool(1, "{\"compensate\":\"AUTOMATIC\"}");
    fail(pool, pool + "~0 is not the id of a hold");
    for (var fence = FIRST; fence < FIRST + REFUSED; fence++) {
      fail(pool, new HoldId(new PoolName(pool), new Fence(fence), "0".repeat(16)).toString());
    }
    var hold = api.hold(pool, "ann", "A-1");
    VanishingRows.commitments(rows);
    var sale = api.confirm(hold, Api.token(), "ann", "o");
    VanishingRows.noMore(rows);
    assertThat(Api.code(sale)).isEqualTo("compensating");

    Await.until(
        SOON, () -> rows.number("SELECT count(*) FROM reversal WHERE hold_id = ?", hold.id()) == 1);
    Await.until(SOON, () -> api.stateOf(pool, "A-1").equals("FREE"));
    assertThat(
            rows.number(
                "SELECT count(*) FROM authorization_nonce WHERE pool = ? AND consumed_at IS NULL",
                pool))
        .as("nonces of refused tries")
        .isZero();
  }

  /// A failed sale of a hold that nobody knows, before all others.
  private static void fail(String pool, String hold) {
    rows.change(
        "INSERT INTO verification VALUES (?, ?, false, 'a test', now() - interval '1 day')",
        pool,
        hold);
  }
}
