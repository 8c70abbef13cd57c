package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.ScriptedProvider.Mishap;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A checkout refunds captured money, also if the provider is slow, refuses at first, or loses its
/// answers.
@ExtendWith(RealServers.class)
@Tag("slow")
class UndonePaymentsTest extends DelayedNotices {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int MORE_THAN_ARE_ASKED = 1_000;
  private static final Mishap LATER = ScriptedProvider.answer(202, "");
  private static Api api;
  private static String pool;

  @BeforeAll
  static void aPool() {
    api = Api.of(till.service());
    pool = PaymentFixture.id("pool");
    var seats =
        IntStream.rangeClosed(1, 10)
            .mapToObj("{\"item\":\"A-%d\",\"priceCents\":5000}"::formatted)
            .collect(Collectors.joining(","));
    var made =
        api.post(
            "/v1/pools",
            Api.token(),
            "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":{}}"
                .formatted(pool, seats));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
  }

  @AfterEach
  void nothingIsLost() {
    till.provider().forgetScript();
    for (var check : Http.json(api.get("/v1/audit/report")).get("checks")) {
      assertThat(check.get("violations").asLong()).as(check.toString()).isZero();
    }
  }

  @Test
  void a_refund_declined_by_a_notice_succeeds_once_its_cause_is_fixed() {
    var sale = sold("A-1");
    till.provider().refuseRefunds(MORE_THAN_ARE_ASKED);
    reverse(sale);
    awaitState("STUCK");
    send(PaymentFixture.id("msg"), declined());

    till.provider().refuseRefunds(0);
    resume();

    awaitState("COMPENSATED");
    assertThat(money()).contains("REFUNDED 5000");
    assertThat(till.provider().refunded(call.paymentId())).isEqualTo(5_000);
  }

  @Test
  void a_refund_that_was_declined_and_then_made_is_made() {
    var sale = sold("A-2");
    till.provider().next(always(LATER));
    reverse(sale);
    Await.until(LONG, () -> refundsAsked() > 0);
    send(PaymentFixture.id("msg"), declined());

    send(PaymentFixture.id("msg"), done());

    awaitState("COMPENSATED");
    assertThat(money()).contains("REFUNDED 5000");
  }

  @Test
  void a_capture_without_an_answer_is_refunded_if_it_cannot_be_cancelled() {
    till.provider().next(ScriptedProvider.none(), ScriptedProvider.cut());
    till.provider().refuseRefunds(1);

    var paid = pay(api.hold(pool, "ann", "A-3"));

    assertThat(Http.json(paid).get("state").asText()).as(paid.body()).isEqualTo("COMPENSATED");
    refund(paid);
    assertThat(money()).containsExactly("AUTHORISED 5000", "CAPTURED 5000", "REFUNDED 5000");
    assertThat(till.provider().captured(call.paymentId())).isEqualTo(5_000);
    assertThat(till.provider().refunded(call.paymentId())).isEqualTo(5_000);
  }

  @Test
  void a_payment_that_was_neither_cancelled_nor_refunded_is_not_undone() {
    var nothing = ScriptedProvider.answer(200, ScriptedProvider.done(0, "EUR").body());
    till.provider().next(ScriptedProvider.none(), ScriptedProvider.cut());
    for (var i = 0; i < PaymentFixture.UNDO_TRIES; i++) {
      till.provider().next(ScriptedProvider.none(), nothing);
    }

    refund(pay(api.hold(pool, "ann", "A-6")));

    awaitState("STUCK");
    resume();
    awaitState("COMPENSATED");
    assertThat(money()).containsExactly("AUTHORISED 5000", "CAPTURED 5000", "REFUNDED 5000");
  }

  @Test
  void a_pending_refund_is_awaited_and_its_notice_wakes_the_checkout() {
    var sale = sold("A-4");
    till.provider().next(always(LATER));
    reverse(sale);
    Await.until(LONG, () -> refundsAsked() > PaymentFixture.UNDO_TRIES);
    assertThat(state()).isEqualTo("COMPENSATING");
    rows.change(
        "UPDATE checkout SET next_at = next_at + interval '1 hour' WHERE checkout_id = ?",
        call.paymentId());

    send(PaymentFixture.id("msg"), done());

    awaitState("COMPENSATED");
    assertThat(money()).contains("REFUNDED 5000");
    assertThat(events()).contains("PENDING").doesNotContain("STUCK", "UNDO_FAILED");
  }

  @Test
  void a_refund_without_a_notice_is_stuck_and_awaited_again_when_resumed() {
    var sale = sold("A-5");
    till.provider().next(always(LATER));
    reverse(sale);
    Await.until(LONG, () -> events().contains("PENDING"));
    minutesPass();
    awaitState("STUCK");
    minutesPass();
    var asked = refundsAsked();

    resume();

    Await.until(LONG, () -> refundsAsked() > asked + 1);
    assertThat(state()).isEqualTo("COMPENSATING");
    send(PaymentFixture.id("msg"), done());
    awaitState("COMPENSATED");
  }

  /// More than a payment is waited for.
  private void minutesPass() {
    rows.change(
        "UPDATE checkout_step SET changed_at = changed_at - interval '11 minutes'"
            + " WHERE undo_id = ?",
        call.callId());
  }

  private static Mishap[] always(Mishap mishap) {
    return Collections.nCopies(MORE_THAN_ARE_ASKED, mishap).toArray(Mishap[]::new);
  }

  /// From then on `call` is the refund of this sale.
  private Api.Hold sold(String seat) {
    var hold = api.hold(pool, "ann", seat);
    var paid = pay(hold);
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
    refund(paid);
    return hold;
  }

  private void refund(HttpResponse<String> checkout) {
    var id = Http.json(checkout).get("checkoutId").asText();
    call = new PaymentCall(id + ":capture:undo", id, "ok", PaymentFixture.PRICE);
  }

  private static HttpResponse<String> pay(Api.Hold hold) {
    var body =
        """
        {"holdId":"%s","requester":"ann","fence":%d,
         "payment":{"provider":"%s","method":"ok","amountCents":5000,"currency":"EUR"}}\
        """
            .formatted(hold.id(), hold.fence(), PaymentFixture.HTTP);
    return Http.post(
        api.base(),
        "/v1/checkouts",
        body,
        "Authorization",
        "Bearer " + api.key(),
        "Idempotency-Key",
        Api.token(),
        "Prefer",
        "wait=30");
  }

  private static void reverse(Api.Hold sale) {
    var path = "/v1/commitments/cm~" + sale.id() + "/void";
    var voided = api.post(path, Api.token(), "{\"refund\":\"full\"}");
    assertThat(voided.statusCode()).as(voided.body()).isEqualTo(200);
  }

  private void resume() {
    var path = "/v1/checkouts/" + call.paymentId() + "/resume";
    var resumed = api.post(path, Api.token(), "");
    assertThat(resumed.statusCode()).as(resumed.body()).isEqualTo(200);
  }

  private long refundsAsked() {
    return till.provider().requests().stream().filter(it -> it.key().equals(call.callId())).count();
  }

  private String state() {
    return Http.json(api.get("/v1/checkouts/" + call.paymentId())).get("state").asText();
  }

  private void awaitState(String state) {
    Await.until(LONG, () -> List.of("COMPENSATED", "STUCK").contains(state()));
    assertThat(state()).isEqualTo(state);
  }

  private List<String> events() {
    return rows.texts(
        "SELECT event FROM checkout_log WHERE checkout_id = ? ORDER BY id", call.paymentId());
  }

  private List<String> money() {
    return rows.texts(
        "SELECT kind || ' ' || cents FROM payment_entry WHERE checkout_id = ? ORDER BY 1",
        call.paymentId());
  }
}
