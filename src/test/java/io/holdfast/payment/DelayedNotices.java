package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/// Base of tests with a pending call whose result arrives by a notice.
public abstract class DelayedNotices {
  public static PaymentFixture till;
  static Rows rows;

  public PaymentCall call;

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
  void aProviderTellsLater() {
    call = PaymentFixture.call(PaymentFixture.id("payment"), "ok");
    till.provider().next(ScriptedProvider.answer(202, ""));
    till.gateway(PaymentFixture.HTTP).authorise(call);
  }

  public String done() {
    return "{\"callId\":\"%s\",\"paymentId\":\"%s\",\"outcome\":\"done\",\"reference\":\"ref-7\",\"amountCents\":5000,\"currency\":\"EUR\"}"
        .formatted(call.callId(), call.paymentId());
  }

  public String declined() {
    return "{\"callId\":\"%s\",\"paymentId\":\"%s\",\"outcome\":\"declined\",\"why\":\"no cover\"}"
        .formatted(call.callId(), call.paymentId());
  }

  public PaymentOutcome outcome() {
    return till.notices().of(PaymentFixture.HTTP, call.callId()).orElse(null);
  }

  public List<String> verdicts() {
    return rows.texts(
        "SELECT verdict FROM payment_notice WHERE call_id = ? ORDER BY received_at", call.callId());
  }

  public static void assertRefused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(Api.code(answer)).isEqualTo(code);
  }

  public static HttpResponse<String> send(String id, String body) {
    return signed(PaymentFixture.SECRET, id, 0, body, body);
  }

  public static HttpResponse<String> signed(
      String secret, String id, long seconds, String signed, String sent) {
    var at = now() + seconds;
    return post(
        PaymentFixture.HTTP,
        sent,
        "webhook-id",
        id,
        "webhook-timestamp",
        "" + at,
        "webhook-signature",
        signature(secret, id, at, signed));
  }

  public static HttpResponse<String> post(String provider, String body, String... headers) {
    return Http.post(till.service().http(), "/v1/payments/" + provider + "/notices", body, headers);
  }

  public static long now() {
    return Clock.systemUTC().instant().getEpochSecond();
  }

  public static String signature(String secret, String id, long at, String body) {
    try {
      return new Webhook(secret).sign(id, at, body);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
