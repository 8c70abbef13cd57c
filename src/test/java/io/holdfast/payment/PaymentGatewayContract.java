package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.pool.Price;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The contract of every payment gateway.
public abstract class PaymentGatewayContract {
  public static PaymentFixture till;
  public static Rows rows;

  public String payment;

  @BeforeAll
  static void open(TestServers servers) {
    till = PaymentFixture.open(servers);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    till.close();
  }

  @BeforeEach
  void aPayment() {
    payment = PaymentFixture.id("payment");
  }

  protected abstract PaymentGateway gateway();

  /// The provider's own books.
  protected abstract long captured(String paymentId);

  protected abstract long refunded(String paymentId);

  /// The next capture of this payment happens, and its answer is lost; returns its method.
  protected abstract String losingTheNextCapture();

  /// The next authorisation happens, and its answer is lost; returns its method.
  protected abstract String losingTheNextAuthorisation();

  @Test
  void an_authorised_payment_is_captured_and_refunded() {
    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Done.class);

    assertThat(gateway().capture(call("ok"))).extracting("moved").isEqualTo(PaymentFixture.PRICE);
    assertThat(captured(payment)).isEqualTo(5_000);

    assertThat(gateway().refund(call("ok"))).extracting("moved").isEqualTo(PaymentFixture.PRICE);
    assertThat(refunded(payment)).isEqualTo(5_000);
    assertThat(gateway().cancel(call("ok")))
        .extracting("moved")
        .isEqualTo(PaymentFixture.PRICE.none());
  }

  @Requirement({"DP-EX-3", "BR-S-2"})
  @Test
  void the_same_call_again_has_no_second_effect_and_the_same_answer() {
    gateway().authorise(call("ok"));
    var capture = call("ok");
    var refund = PaymentFixture.call(payment, "ok", 2_000);
    var cancel = call("ok");

    assertThat(gateway().capture(capture)).isEqualTo(gateway().capture(capture));
    assertThat(gateway().refund(refund)).isEqualTo(gateway().refund(refund));
    assertThat(gateway().cancel(cancel)).isEqualTo(gateway().cancel(cancel));

    assertThat(captured(payment)).isEqualTo(5_000);
    assertThat(refunded(payment)).isEqualTo(2_000);
  }

  @Requirement("BR-K-4")
  @Test
  void equal_calls_at_once_move_money_once_and_are_answered_alike() {
    gateway().authorise(call("ok"));
    gateway().capture(call("ok"));
    var refund = PaymentFixture.call(payment, "ok", 1_000);

    var answers = Together.run(16, _ -> gateway().refund(refund));

    assertThat(answers).allSatisfy(it -> assertThat(it).isInstanceOf(Done.class));
    assertThat(refunded(payment)).isEqualTo(1_000);
  }

  @Test
  void different_refunds_at_once_never_give_back_more_than_was_captured() {
    gateway().authorise(call("ok"));
    gateway().capture(call("ok"));

    var answers = Together.run(8, _ -> gateway().refund(PaymentFixture.call(payment, "ok", 1_000)));

    assertThat(answers).filteredOn(Done.class::isInstance).hasSize(5);
    assertThat(refunded(payment)).isEqualTo(5_000);
  }

  @Test
  void a_decline_is_definite_and_moves_nothing() {
    assertThat(gateway().authorise(call("decline"))).isInstanceOf(Declined.class);

    assertThat(gateway().capture(call("decline"))).isInstanceOf(Declined.class);
    assertThat(captured(payment)).isZero();
  }

  @Requirement("BR-S-2")
  @Test
  void cancelling_an_unknown_payment_succeeds_and_blocks_later_calls() {
    assertThat(gateway().cancel(call("ok")))
        .extracting("moved")
        .isEqualTo(PaymentFixture.PRICE.none());

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Declined.class);
    assertThat(gateway().capture(call("ok"))).isInstanceOf(Declined.class);
    assertThat(captured(payment)).isZero();
  }

  @Test
  void a_cancelled_payment_cannot_be_captured() {
    gateway().authorise(call("ok"));

    assertThat(gateway().cancel(call("ok"))).extracting("moved").isEqualTo(PaymentFixture.PRICE);

    assertThat(gateway().capture(call("ok"))).isInstanceOf(Declined.class);
  }

  @Test
  void a_captured_payment_cannot_be_cancelled_but_refunded() {
    gateway().authorise(call("ok"));
    gateway().capture(call("ok"));

    assertThat(gateway().cancel(call("ok"))).isInstanceOf(Declined.class);
  }

  @Requirement("BR-S-2")
  @Test
  void refunding_an_uncaptured_payment_succeeds_and_moves_nothing() {
    assertThat(gateway().refund(call("ok")))
        .extracting("moved")
        .isEqualTo(PaymentFixture.PRICE.none());
  }

  @Requirement("BR-S-5")
  @Test
  void a_part_can_be_refunded_and_never_more_than_is_left() {
    gateway().authorise(call("ok"));
    gateway().capture(call("ok"));

    assertThat(gateway().refund(PaymentFixture.call(payment, "ok", 4_500)))
        .extracting("moved")
        .isEqualTo(new Price(4_500, "EUR"));
    assertThat(gateway().refund(PaymentFixture.call(payment, "ok", 501)))
        .isInstanceOf(Declined.class);
    assertThat(refunded(payment)).isEqualTo(4_500);
  }

  @Test
  void a_price_of_zero_is_paid_like_any_other() {
    assertThat(gateway().authorise(PaymentFixture.call(payment, "ok", 0))).isInstanceOf(Done.class);
    assertThat(gateway().capture(PaymentFixture.call(payment, "ok", 0))).isInstanceOf(Done.class);
    assertThat(gateway().refund(PaymentFixture.call(payment, "ok", 0))).isInstanceOf(Done.class);
  }

  @Requirement("BR-K-4")
  @Test
  void a_lost_answer_is_unknown_and_the_same_call_again_tells() {
    gateway().authorise(call("ok"));
    var capture = call(losingTheNextCapture());

    assertThat(gateway().capture(capture)).isInstanceOf(Unknown.class);
    assertThat(captured(payment)).isEqualTo(5_000);

    assertThat(gateway().capture(capture)).isInstanceOf(Done.class);
    assertThat(captured(payment)).isEqualTo(5_000);
  }

  @Test
  void an_authorisation_without_an_answer_can_be_cancelled() {
    var method = losingTheNextAuthorisation();
    assertThat(gateway().authorise(call(method))).isInstanceOf(Unknown.class);

    assertThat(gateway().cancel(call(method))).extracting("moved").isEqualTo(PaymentFixture.PRICE);

    assertThat(gateway().capture(call(method))).isInstanceOf(Declined.class);
  }

  @Test
  void every_call_is_on_record_whatever_its_outcome() {
    var call = call(losingTheNextAuthorisation());

    gateway().authorise(call);

    assertThat(
            rows.texts(
                "SELECT concat_ws(' ', provider, payment_id, step, amount_cents, currency)"
                    + " FROM payment_call WHERE call_id = ?",
                call.callId()))
        .containsExactly(gateway().provider() + " " + payment + " authorise 5000 EUR");
  }

  @Test
  void a_call_id_is_spent_on_one_call_only() {
    var call = call("ok");
    gateway().authorise(call);

    assertThatThrownBy(() -> gateway().capture(call))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was used for");
    assertThat(captured(payment)).isZero();
  }

  @Test
  void a_method_is_known_or_not() {
    assertThat(gateway().accepts("ok")).isTrue();
    assertThat(gateway().accepts("cheque")).isFalse();
    assertThat(gateway().accepts("OK")).isFalse();
  }

  public PaymentCall call(String method) {
    return PaymentFixture.call(payment, method);
  }
}
