package io.holdfast.payment;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.micronaut.serde.ObjectMapper;
import io.micronaut.serde.annotation.Serdeable;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Asks any provider that takes JSON over HTTP with an `Idempotency-Key`; docs/payments.md is the
/// contract. A method is a word, or a token that the provider made: nothing of a card comes here.
final class HttpGateway implements PaymentGateway {
  private static final int ANSWER_BYTES_MAX = 64 * 1024;
  private static final int WINDOW = 20;
  private static final int CALLS_MIN = 10;
  private static final int PROBES = 3;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final ProviderSettings settings;
  private final Duration timeout;
  private final ObjectMapper json;
  private final CircuitBreaker breaker;
  private final HttpClient client;

  HttpGateway(ProviderSettings settings, PaymentSettings limits, ObjectMapper json) {
    this.settings = settings;
    this.timeout = limits.timeout();
    this.json = json;
    this.breaker = breaker(settings.name());
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  @Override
  public String provider() {
    return settings.name();
  }

  @Override
  public boolean accepts(String method) {
    return settings.methods().contains(method);
  }

  @Override
  public PaymentOutcome authorise(PaymentCall call) {
    return ask(PaymentStep.AUTHORISE, call);
  }

  @Override
  public PaymentOutcome capture(PaymentCall call) {
    return ask(PaymentStep.CAPTURE, call);
  }

  @Override
  public PaymentOutcome cancel(PaymentCall call) {
    return ask(PaymentStep.CANCEL, call);
  }

  @Override
  public PaymentOutcome refund(PaymentCall call) {
    return ask(PaymentStep.REFUND, call);
  }

  /// While the provider does not answer, callers are told so at once; now and then one may try.
  private PaymentOutcome ask(PaymentStep step, PaymentCall call) {
    if (!breaker.tryAcquirePermission()) {
      return new Unknown("not asked, because " + provider() + " does not answer at the moment");
    }
    var since = System.nanoTime();
    var outcome = send(step, call);
    var nanos = System.nanoTime() - since;
    if (outcome instanceof Unknown(var why)) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, new IOException(why));
    } else {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }
    return outcome;
  }

  private PaymentOutcome send(PaymentStep step, PaymentCall call) {
    try {
      var answer =
          client.send(
              request(step, call),
              BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
      return new ProviderResponse(provider(), step, call).read(answer.statusCode(), answer.body());
    } catch (IOException e) {
      return new Unknown("%s gave no answer: %s".formatted(provider(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown(provider() + " gave no answer in time");
    }
  }

  private HttpRequest request(PaymentStep step, PaymentCall call) throws IOException {
    var body = new Question(call.method(), call.amount().cents(), call.amount().currency());
    return HttpRequest.newBuilder(address(step, call))
        .timeout(timeout)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json")
        .header("Authorization", "Bearer " + settings.key())
        .header("Idempotency-Key", call.callId())
        .POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
        .build();
  }

  private URI address(PaymentStep step, PaymentCall call) {
    var id = URLEncoder.encode(call.paymentId(), StandardCharsets.UTF_8).replace("+", "%20");
    return URI.create("%s/payments/%s/%s".formatted(settings.url(), id, step.word()));
  }

  private static CircuitBreaker breaker(String name) {
    return CircuitBreaker.of(
        name,
        CircuitBreakerConfig.custom()
            .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
            .slidingWindowSize(WINDOW)
            .minimumNumberOfCalls(CALLS_MIN)
            .failureRateThreshold(50)
            .slowCallRateThreshold(100)
            .waitDurationInOpenState(PAUSE)
            .permittedNumberOfCallsInHalfOpenState(PROBES)
            .maxWaitDurationInHalfOpenState(Duration.ofSeconds(10))
            .automaticTransitionFromOpenToHalfOpenEnabled(false)
            .build());
  }

  @Serdeable
  record Question(String method, long amountCents, String currency) {}
}
