package io.holdfast.payment.notice;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.DelayedNotices;
import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentFixture;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.ScriptedProvider;
import io.holdfast.pool.Price;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A notice counts once if it is signed, recent and matches its call.
@ExtendWith(RealServers.class)
class PaymentNoticesTest extends DelayedNotices {
  @Test
  void a_notice_is_accepted_and_passed_to_its_listener() {
    var told = new CopyOnWriteArrayList<String>();
    till.notices().onNotice(told::add);

    var answer = send(PaymentFixture.id("msg"), done());

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(outcome()).isEqualTo(new Done("ref-7", PaymentFixture.PRICE));
    assertThat(told).containsExactly(call.paymentId());
  }

  @Test
  void a_decline_is_reported_with_its_reason() {
    send(PaymentFixture.id("msg"), declined());

    assertThat(outcome()).isEqualTo(new Declined("no cover"));
  }

  @Requirement("BR-K-4")
  @Test
  void the_same_notice_again_is_answered_alike_and_has_no_second_effect() {
    var told = new CopyOnWriteArrayList<String>();
    till.notices().onNotice(told::add);
    var id = PaymentFixture.id("msg");

    var answers = Together.run(8, _ -> send(id, done()));

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
    assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
    assertThat(verdicts()).containsExactly("counts");
    assertThat(told).hasSize(1);
  }

  @Test
  void the_same_word_under_another_id_is_a_repetition() {
    send(PaymentFixture.id("msg"), done());

    assertThat(send(PaymentFixture.id("msg"), done()).statusCode()).isEqualTo(200);

    assertThat(verdicts()).containsExactly("counts", "repeats");
  }

  @Test
  void the_first_word_counts_and_its_opposite_is_on_record() {
    send(PaymentFixture.id("msg"), declined());

    var answer = send(PaymentFixture.id("msg"), done());

    assertRefused(answer, 409, "notice-contradicts");
    assertThat(outcome()).isInstanceOf(Declined.class);
    assertThat(verdicts()).containsExactly("counts", "contradicts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "amountCents":5000  | "amountCents":4999
          "amountCents":5000  | "amountCents":0
          "currency":"EUR"    | "currency":"USD"
          "paymentId":"       | "paymentId":"x
          """)
  void a_notice_that_differs_from_its_call_is_refused_and_recorded(String asked, String told) {
    var id = PaymentFixture.id("msg");

    assertRefused(send(id, done().replace(asked, told)), 422, "notice-differs");
    assertRefused(send(id, done().replace(asked, told)), 422, "notice-differs");

    assertThat(outcome()).isNull();
    assertThat(verdicts()).containsExactly("differs");
    assertThat(send(PaymentFixture.id("msg"), done()).statusCode()).isEqualTo(200);
  }

  @Test
  void a_notice_of_an_unknown_call_is_refused() {
    var answer = send(PaymentFixture.id("msg"), done().replace(call.callId(), "call-of-nobody"));

    assertRefused(answer, 404, "not-known");
    assertThat(verdicts()).isEmpty();
  }

  @Test
  void a_notice_of_an_unknown_provider_is_refused() {
    assertRefused(post("nobody", done()), 404, "not-known");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          callId      | "callId":           | "call":
          outcome     | "done"              | "perhaps"
          reference   | "reference":"ref-7" | "reference":null
          amountCents | "amountCents":5000  | "amountCents":"5000"
          amountCents | "amountCents":5000  | "amountCents":-1
          amountCents | "amountCents":5000  | "amountCents":null
          currency    | "currency":"EUR"    | "currency":"eur"
          currency    | "currency":"EUR"    | "currency":null
          more        | }                   | ,"more":1}
          """)
  void an_invalid_notice_is_refused_by_field(String field, String sense, String nonsense) {
    var answer = send(PaymentFixture.id("msg"), done().replace(sense, nonsense));

    assertRefused(answer, 400, "invalid-request");
    assertThat(Http.json(answer).path("field").asText()).isEqualTo(field);
    assertThat(verdicts()).isEmpty();
  }

  @Test
  void a_notice_of_a_cancel_may_report_zero() {
    var cancel = PaymentFixture.call(PaymentFixture.id("payment"), "ok");
    till.provider().next(ScriptedProvider.answer(202, ""));
    till.gateway(PaymentFixture.HTTP).cancel(cancel);

    var nothing =
        done()
            .replace(call.callId(), cancel.callId())
            .replace(call.paymentId(), cancel.paymentId())
            .replace("5000", "0");

    assertThat(send(PaymentFixture.id("msg"), nothing).statusCode()).isEqualTo(200);
    assertThat(till.notices().of(PaymentFixture.HTTP, cancel.callId()))
        .contains(new Done("ref-7", new Price(0, "EUR")));
  }

  @Test
  void a_refund_that_was_declined_by_a_notice_is_asked_for_again() {
    pending(till.gateway(PaymentFixture.HTTP)::refund);
    assertThat(send(PaymentFixture.id("msg"), declined()).statusCode()).isEqualTo(200);

    var again = till.gateway(PaymentFixture.HTTP).refund(call);

    assertThat(again).isEqualTo(new Done("pr-1", PaymentFixture.PRICE.none()));
  }

  @Test
  void a_refund_done_after_a_decline_counts_and_cannot_be_revoked() {
    pending(till.gateway(PaymentFixture.HTTP)::refund);
    send(PaymentFixture.id("msg"), declined());

    assertThat(send(PaymentFixture.id("msg"), done()).statusCode()).isEqualTo(200);
    assertThat(outcome()).isEqualTo(new Done("ref-7", PaymentFixture.PRICE));
    assertRefused(send(PaymentFixture.id("msg"), declined()), 409, "notice-contradicts");

    assertThat(verdicts()).containsExactly("repeats", "counts", "contradicts");
  }

  @Test
  void a_cancel_that_was_declined_by_a_notice_is_asked_for_again_and_stays_declined_till_then() {
    pending(till.gateway(PaymentFixture.HTTP)::cancel);
    send(PaymentFixture.id("msg"), declined());
    till.provider().next(ScriptedProvider.answer(202, ""));

    assertThat(till.gateway(PaymentFixture.HTTP).cancel(call)).isEqualTo(new Declined("no cover"));
    assertThat(till.gateway(PaymentFixture.HTTP).cancel(call)).isInstanceOf(Done.class);
  }

  private void pending(Function<PaymentCall, PaymentOutcome> question) {
    call = PaymentFixture.call(PaymentFixture.id("payment"), "ok");
    till.provider().next(ScriptedProvider.answer(202, ""));
    question.apply(call);
  }
}
