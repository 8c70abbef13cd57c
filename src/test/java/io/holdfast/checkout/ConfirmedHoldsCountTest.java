package io.holdfast.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.Price;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `holdfast_holds_total{outcome="confirmed"}` counts each hold that is confirmed once, also by a
/// checkout.
@ExtendWith(RealServers.class)
class ConfirmedHoldsCountTest {
  private static final String METRIC = "holdfast_holds_total{outcome=\"confirmed\"}";

  private static Service service;
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
                "holdfast.checkout-look", "50ms",
                "holdfast.checkout-pause", "10ms",
                "holdfast.payment-timeout", "500ms"));
    api = Api.of(service);
    checkouts = new Checkouts(api);
    pool = checkouts.pool(12, "{\"maxHoldsPerRequester\":50}");
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource({
    "ok,                A-1, 1",
    "decline,           A-2, 0",
    "timeout-authorise, A-3, 0",
    "late-webhook-300,  A-4, 1", // resumed after a pause before the sale
    "timeout-capture,   A-5, 1", // resumed after the sale
    "fail-capture,      A-6, 1", // sold, then taken back
    "duplicate-webhook, A-7, 1",
  })
  void a_checkout_counts_once_if_it_has_sold_the_hold(String method, String seat, int sales) {
    var hold = api.hold(pool, "ann", seat);
    var before = confirmed();

    checkouts.pay(hold, "ann", method, Checkouts.PRICE);

    assertThat(confirmed() - before).isEqualTo(sales);
  }

  @Test
  void a_confirm_counts_once_and_its_replay_does_not() {
    var hold = api.hold(pool, "ann", "A-8");
    var before = confirmed();
    var token = Api.token();

    assertThat(api.confirm(hold, token, "ann", "order").statusCode()).isEqualTo(200);
    assertThat(api.confirm(hold, token, "ann", "order").statusCode()).isEqualTo(200);

    assertThat(confirmed() - before).isOne();
  }

  @Test
  void a_checkout_after_a_declined_card_counts_once() {
    var hold = api.hold(pool, "ann", "A-9");
    var before = confirmed();

    checkouts.pay(hold, "ann", "decline", Checkouts.PRICE);
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);
    checkouts.pay(hold, "ann", "ok", Checkouts.PRICE);

    assertThat(confirmed() - before).isOne();
  }

  @Test
  void a_sale_whose_commit_was_lost_counts_when_its_checkout_is_resumed() {
    var registry = new SimpleMeterRegistry();
    var meters = new CheckoutMeters(registry);
    var count = registry.get("holdfast.holds").tag("outcome", "confirmed").counter();

    meters.lost(run(StepState.State.PLANNED));
    meters.resumed(run(StepState.State.PLANNED));
    assertThat(count.count()).as("the turn was not stored").isZero();

    meters.lost(run(StepState.State.PLANNED));
    meters.resumed(run(StepState.State.DONE));
    meters.resumed(run(StepState.State.DONE));
    assertThat(count.count()).as("it was, and the run is resumed twice").isOne();

    meters.lost(run(StepState.State.DONE));
    meters.resumed(run(StepState.State.DONE));
    assertThat(count.count()).as("a later turn was lost").isOne();
  }

  private static CheckoutRun run(StepState.State commit) {
    var id = new CheckoutId(new PoolName("arena"), "0".repeat(CheckoutId.CODE_LENGTH));
    var step =
        new StepState("commit", "call", "undo", commit, StepState.Undo.PLANNED, 0, "", null, null);
    var order =
        new CheckoutRun.Order(
            "shop", "ann", "hold", 1, "simulator", "ok", new Price(1, "EUR"), "", null, null);
    return new CheckoutRun(
        id,
        "checkout",
        order,
        Phase.FORWARD,
        0,
        0,
        null,
        null,
        null,
        null,
        1,
        Instant.EPOCH,
        List.of(step));
  }

  private static long confirmed() {
    return Http.get(service.http(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(METRIC))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .mapToLong(value -> (long) Double.parseDouble(value))
        .sum();
  }
}
