package io.holdfast.payment;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.notice.NoticeBody;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.UnparsableBody;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls a provider that takes JSON over HTTP with an `Idempotency-Key`; docs/payments.md is the
/// contract. A method is a word or a token of the provider, never card data.
final class HttpGateway implements PaymentGateway {
  private static final Logger LOG = LoggerFactory.getLogger(HttpGateway.class);

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int IN_FLIGHT = 409;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;

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

  /// While the provider does not answer, the circuit breaker refuses calls but for a few probes.
  @Override
  public PaymentOutcome call(PaymentStep step, PaymentCall call) {
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
      return read(step, call, answer.statusCode(), answer.body());
    } catch (IOException e) {
      return new Unknown("%s gave no answer: %s".formatted(provider(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown(provider() + " gave no answer in time");
    }
  }

  /// Only an answer that reports all that was asked for is a yes, and only one that blames the
  /// request is a no. Everything else is unknown.
  private PaymentOutcome read(PaymentStep step, PaymentCall call, int status, byte[] body) {
    return switch (status) {
      case OK -> done(step, call, body);
      case ACCEPTED -> new Pending(provider() + " answers by a notice");
      case REQUEST_TIMEOUT, IN_FLIGHT, TOO_EARLY, TOO_MANY ->
          new Unknown("%s answered %d, which decides nothing".formatted(provider(), status));
      default ->
          status / 100 == 4
              ? new Declined("%s answered %d".formatted(provider(), status))
              : new Unknown("%s answered %d".formatted(provider(), status));
    };
  }

  /// A provider may add fields of its own.
  private PaymentOutcome done(PaymentStep step, PaymentCall call, byte[] body) {
    try {
      var fields = JsonFields.of(JsonBody.read(body));
      var reference = fields.text("reference");
      var moved = NoticeBody.price(fields);
      if (moved == null || !step.isDoneBy(call.amount(), moved)) {
        LOG.error(
            "{} was asked to {} {} by call {} of payment {} and reports {} moved; its effect is"
                + " unknown, an operator has to look at it",
            provider(),
            step.word(),
            call.amount(),
            call.callId(),
            call.paymentId(),
            moved);
        return new Unknown(
            "%s reports %s moved, not %s".formatted(provider(), moved, call.amount()));
      }
      return new Done(reference, moved);
    } catch (UnparsableBody | InvalidField e) {
      LOG.error("{} gave an invalid answer to call {}", provider(), call.callId(), e);
      return new Unknown("the answer of " + provider() + " is invalid: " + e.getMessage());
    }
  }

  private HttpRequest request(PaymentStep step, PaymentCall call) throws IOException {
    var body = new RequestJson(call.method(), call.amount().cents(), call.amount().currency());
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
  record RequestJson(String method, long amountCents, String currency) {}
}
