package io.holdfast.payment.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.GatewayRegistry;
import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentFixture;
import io.holdfast.payment.PaymentGateway;
import io.holdfast.payment.PaymentGatewayContract;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The simulator fulfils the contract of gateways and fails as its methods say.
@ExtendWith(RealServers.class)
@Tag("slow")
class SimulatorTest extends PaymentGatewayContract {
  private static final Duration SOON = Duration.ofSeconds(20);

  @Override
  protected PaymentGateway gateway() {
    return till.gateway(Simulator.PROVIDER);
  }

  @Override
  protected long captured(String paymentId) {
    return books("coalesce(captured_cents, 0)", paymentId);
  }

  @Override
  protected long refunded(String paymentId) {
    return books("refunded_cents", paymentId);
  }

  @Override
  protected String losingTheNextCapture() {
    return "timeout-capture";
  }

  @Override
  protected String losingTheNextAuthorisation() {
    return "timeout-authorise";
  }

  @ParameterizedTest
  @CsvSource({
    "ok, true",
    "decline, true",
    "timeout-authorise, true",
    "lose-authorise, true",
    "timeout-capture, true",
    "fail-capture, true",
    "fail-fulfil, true",
    "duplicate-webhook, true",
    "late-webhook, true",
    "late-webhook-0, true",
    "late-webhook-60000, true",
    "late-webhook-60001, false",
    "late-webhook-, false",
    "fail-refund, true",
    "stuck-refund, true",
    "ok-5, false",
    "'', false"
  })
  void it_knows_its_methods(String method, boolean isKnown) {
    assertThat(gateway().accepts(method)).isEqualTo(isKnown);
  }

  @Test
  void only_one_method_spoils_the_fulfilment() {
    assertThat(gateway().failsFulfilment("fail-fulfil")).isTrue();
    assertThat(gateway().failsFulfilment("ok")).isFalse();
  }

  @Test
  void an_authorisation_that_times_out_stays_unknown_however_often_it_is_asked() {
    var call = call("timeout-authorise");

    assertThat(gateway().authorise(call)).isInstanceOf(Unknown.class);
    assertThat(gateway().authorise(call)).isInstanceOf(Unknown.class);
    assertThat(books("authorised_cents", payment)).isEqualTo(5_000);
  }

  @Test
  void a_lost_authorisation_is_answered_at_the_second_call() {
    var call = call("lose-authorise");

    assertThat(gateway().authorise(call)).isInstanceOf(Unknown.class);
    assertThat(gateway().authorise(call)).isInstanceOf(Done.class);
  }

  @Test
  void a_capture_can_fail_and_be_cancelled() {
    gateway().authorise(call("fail-capture"));

    assertThat(gateway().capture(call("fail-capture"))).isInstanceOf(Declined.class);
    assertThat(gateway().cancel(call("fail-capture"))).isInstanceOf(Done.class);
  }

  @Requirement("BR-S-3")
  @Test
  void a_refund_can_fail_twice_or_for_ever() {
    for (var method : new String[] {"fail-refund", "stuck-refund"}) {
      payment = PaymentFixture.id("payment");
      gateway().authorise(call(method));
      gateway().capture(call(method));
      var refund = call(method);
      assertThat(gateway().refund(refund)).isInstanceOf(Declined.class);
      assertThat(gateway().refund(refund)).isInstanceOf(Declined.class);

      var third = gateway().refund(refund);

      assertThat(third).isInstanceOf(method.equals("fail-refund") ? Done.class : Declined.class);
      assertThat(refunded(payment)).isEqualTo(method.equals("fail-refund") ? 5_000 : 0);
    }
  }

  @Test
  void a_late_authorisation_is_reported_by_a_notice() {
    var told = new CopyOnWriteArrayList<String>();
    till.notices().onNotice(told::add);
    var call = call("late-webhook-300");

    assertThat(gateway().authorise(call)).isInstanceOf(Pending.class);

    Await.until(SOON, () -> notice(call) instanceof Done);
    assertThat(notice(call)).extracting("moved").isEqualTo(PaymentFixture.PRICE);
    Await.until(SOON, () -> told.contains(payment));
    assertThat(gateway().authorise(call)).isInstanceOf(Done.class);
    assertThat(gateway().capture(call("late-webhook-300"))).isInstanceOf(Done.class);
  }

  @Requirement("BR-K-4")
  @Test
  void a_repeated_notice_is_stored_once() {
    var told = new CopyOnWriteArrayList<String>();
    till.notices().onNotice(told::add);
    var call = call("duplicate-webhook");

    assertThat(gateway().authorise(call)).isInstanceOf(Done.class);

    Await.until(
        SOON,
        () ->
            notice(call) instanceof Done
                && rows.number(
                        "SELECT count(*) FROM simulated_notice WHERE call_id = ?", call.callId())
                    == 0);
    assertThat(rows.number("SELECT count(*) FROM payment_notice WHERE call_id = ?", call.callId()))
        .isOne();
    assertThat(told.stream().filter(payment::equals)).hasSize(1);
  }

  @Test
  void a_notice_outlives_the_instance_that_owed_it(TestServers servers) {
    var call = call("late-webhook-2000");
    try (var other = RealServers.start(servers, Map.of("holdfast.demo", "true"))) {
      var gateway =
          other.context().getBean(GatewayRegistry.class).find(Simulator.PROVIDER).orElseThrow();
      assertThat(gateway.authorise(call)).isInstanceOf(Pending.class);
    }

    Await.until(SOON, () -> notice(call) instanceof Done);
  }

  private static long books(String column, String paymentId) {
    var found =
        rows.texts("SELECT " + column + " FROM simulated_payment WHERE payment_id = ?", paymentId);
    return found.isEmpty() ? 0 : Long.parseLong(found.getFirst());
  }

  private static PaymentOutcome notice(PaymentCall call) {
    return till.notices().of(Simulator.PROVIDER, call.callId()).orElse(null);
  }
}
