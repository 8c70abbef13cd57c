package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.ScriptedProvider.Mishap;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The HTTP gateway fulfils the contract for every answer of a provider.
@ExtendWith(RealServers.class)
class HttpGatewayTest extends PaymentGatewayContract {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int PROBES = 3;
  private static final int CALLS_THAT_SHUT_THE_BREAKER = 20;

  @Override
  protected PaymentGateway gateway() {
    return till.gateway(PaymentFixture.HTTP);
  }

  @Override
  protected long captured(String paymentId) {
    return till.provider().captured(paymentId);
  }

  @Override
  protected long refunded(String paymentId) {
    return till.provider().refunded(paymentId);
  }

  @Override
  protected String losingTheNextCapture() {
    till.provider().next(ScriptedProvider.cut());
    return "ok";
  }

  @Override
  protected String losingTheNextAuthorisation() {
    till.provider().next(till.provider().hang());
    return "ok";
  }

  /// Mishaps of one test must not shut the breaker for the next one: each is outweighed.
  @BeforeEach
  void theProviderIsWell() {
    till.provider().forgetScript();
    for (var i = 0; i < PROBES; i++) {
      Await.until(
          LONG,
          () ->
              gateway().cancel(PaymentFixture.call(PaymentFixture.id("well"), "ok"))
                  instanceof Done);
    }
  }

  @Test
  void requests_are_those_of_docs_payments() {
    var odd = PaymentFixture.call("a/b?c%", "ok");

    gateway().authorise(odd);

    var sent =
        till.provider().requests().stream()
            .filter(request -> request.key().equals(odd.callId()))
            .toList();
    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst().path()).isEqualTo("/api/v3/payments/a%2Fb%3Fc%25/authorise");
    assertThat(sent.getFirst().authorization()).isEqualTo("Bearer key-of-the-provider");
    assertThat(sent.getFirst().body())
        .isEqualTo("{\"method\":\"ok\",\"amountCents\":5000,\"currency\":\"EUR\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "202, Pending",
    "400, Declined",
    "401, Declined",
    "402, Declined",
    "404, Declined",
    "422, Declined",
    "408, Unknown",
    "409, Unknown",
    "425, Unknown",
    "429, Unknown",
    "201, Unknown",
    "204, Unknown",
    "302, Unknown",
    "500, Unknown",
    "502, Unknown",
    "503, Unknown"
  })
  void only_200_is_a_success_and_only_definite_4xx_a_refusal(int status, String outcome) {
    till.provider().next(ScriptedProvider.answer(status, status == 204 ? "" : "{}"));

    assertThat(gateway().authorise(call("ok")).getClass().getSimpleName()).isEqualTo(outcome);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"reference":"r","amountCents":4999,"currency":"EUR"}
          {"reference":"r","amountCents":500000,"currency":"EUR"}
          {"reference":"r","amountCents":5000,"currency":"USD"}
          {"reference":"r","amountCents":5000,"currency":"eur"}
          {"reference":"r","amountCents":-5000,"currency":"EUR"}
          {"reference":"r","amountCents":"5000","currency":"EUR"}
          {"reference":"r","amountCents":0,"currency":"EUR"}
          {"reference":"r","amountCents":5000}
          {"reference":"r"}
          {"amountCents":5000,"currency":"EUR"}
          {"reference":"r","amountCents":5000,"currency":"EUR"
          []
          <html>fine</html>
          """)
  void a_success_without_the_requested_amount_is_unknown(String body) {
    till.provider().next(ScriptedProvider.answer(200, body));

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Unknown.class);
  }

  @Test
  void an_empty_yes_is_unknown() {
    till.provider().next(ScriptedProvider.answer(200, ""));

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Unknown.class);
  }

  @Test
  void a_huge_answer_is_not_read() {
    var huge =
        ScriptedProvider.done(5_000, "EUR").body().replace("[]", "\"" + "x".repeat(1 << 20) + "\"");
    till.provider().next(ScriptedProvider.answer(200, huge));

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Unknown.class);
  }

  @Test
  void an_answer_that_never_ends_is_unknown_in_time() {
    till.provider().next(till.provider().drip());
    var since = System.nanoTime();

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Unknown.class);
    assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void a_redirect_is_not_followed() {
    Mishap redirect =
        (exchange, _) -> {
          exchange.getResponseHeaders().set("Location", till.provider().url() + "/stolen");
          exchange.sendResponseHeaders(307, -1);
        };
    till.provider().next(redirect);

    assertThat(gateway().authorise(call("ok"))).isInstanceOf(Unknown.class);
    assertThat(till.provider().requests()).noneMatch(it -> it.path().endsWith("/stolen"));
  }

  @Test
  void a_provider_that_is_down_is_left_alone_for_a_moment_and_then_asked_again() {
    for (var i = 0; i < CALLS_THAT_SHUT_THE_BREAKER; i++) {
      till.provider().next(ScriptedProvider.answer(503, "{}"));
    }
    for (var i = 0; i < CALLS_THAT_SHUT_THE_BREAKER / 2; i++) {
      gateway().authorise(PaymentFixture.call(PaymentFixture.id("down"), "ok"));
    }

    var spared = gateway().authorise(call("ok"));

    assertThat(spared).extracting("why").asString().startsWith("not asked");
    till.provider().forgetScript();
    var asked = call("ok");
    Await.until(LONG, () -> gateway().authorise(asked) instanceof Done);
    assertThat(gateway().authorise(call("decline"))).isInstanceOf(Declined.class);
  }
}
