package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.KillCase.Victim;
import io.holdfast.faults.Moment.Way;
import io.holdfast.faults.Moment.When;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.RetryingClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A part of an order is refunded once, although the process that refunds it is killed.
@Tag("slow")
class PartRefundKillTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /// Either instance may take the refund, and only one of them has the trap.
  private static final int ATTEMPTS = 40;

  @TempDir static Path folder;

  private static Rig rig;

  @BeforeAll
  static void build() {
    rig = new Rig(folder);
  }

  @AfterAll
  static void takeDown() {
    rig.close();
  }

  @ParameterizedTest
  @EnumSource(When.class)
  @Requirement("AU-13")
  void a_killed_runner_refunds_a_part_neither_twice_nor_never(When when) {
    for (var attempt = 0; attempt < ATTEMPTS; attempt++) {
      rig.awaitCalm();
      var order = paid();
      rig.trap()
          .lay(order.hold.id(), new Moment(Way.UNDO, "capture", when), rig.targets(Victim.SERVICE));

      voidPart(order);
      Await.comesTrue(PATIENCE, () -> !rig.trap().isLaid() || isRefunded(order));
      if (!rig.trap().takeAway()) { // it struck
        rig.restart(Victim.SERVICE);
        Await.until(PATIENCE, () -> isRefunded(order));
        assertThat(refunds(order)).containsExactly("REFUNDED 5000");
        assertThat(provider(order)).isEqualTo(Rig.PRICE);
        assertThat(Await.comesTrue(PATIENCE, () -> rig.newViolations().isEmpty()))
            .as(rig.newViolations())
            .isTrue();
        return;
      }
    }
    throw new AssertionError("it never came to this moment");
  }

  private record Order(Hold hold, String seat, String checkoutId) {}

  private static Order paid() {
    var seat = rig.nextSeat();
    var api = rig.keeperApi();
    var token = Api.token();
    var placed =
        RetryingClient.decided(() -> api.place(Rig.POOL, token, "ann", seat, rig.nextSeat()));
    var hold = Hold.of(placed);
    var body =
        """
        {"holdId":"%s","requester":"ann","fence":%d,
         "payment":{"provider":"simulator","method":"ok","amountCents":%d,"currency":"EUR"}}\
        """
            .formatted(hold.id(), hold.fence(), 2 * Rig.PRICE);
    var paid =
        Http.post(
            api.base(),
            "/v1/checkouts",
            body,
            "Authorization",
            "Bearer " + api.key(),
            "Idempotency-Key",
            Api.token(),
            "Prefer",
            "wait=20");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    return new Order(hold, seat, Http.json(paid).get("checkoutId").asText());
  }

  private static void voidPart(Order order) {
    var voided =
        rig.keeperApi()
            .post(
                "/v1/commitments/cm~" + order.hold.id() + "/void",
                Api.token(),
                "{\"refund\":\"full\",\"items\":[\"%s\"]}".formatted(order.seat));
    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
  }

  private static boolean isRefunded(Order order) {
    return rig.rows()
        .texts("SELECT phase FROM checkout WHERE checkout_id = ?", order.checkoutId)
        .equals(List.of("DONE"));
  }

  private static List<String> refunds(Order order) {
    return rig.rows()
        .texts(
            "SELECT kind || ' ' || cents FROM payment_entry"
                + " WHERE checkout_id = ? AND kind IN ('REFUNDED', 'KEPT')",
            order.checkoutId);
  }

  private static long provider(Order order) {
    return rig.rows()
        .number(
            "SELECT captured_cents - refunded_cents FROM simulated_payment WHERE payment_id = ?",
            order.checkoutId);
  }
}
