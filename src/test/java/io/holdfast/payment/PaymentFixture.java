package io.holdfast.payment;

import static java.util.Map.entry;

import io.holdfast.app.Service;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.pool.Price;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;

/// A service with the simulator and an HTTP gateway, and helpers for tests. Its checkouts have few
/// retries and short pauses, so that they give up soon.
public record PaymentFixture(Service service, ScriptedProvider provider) implements AutoCloseable {
  static final int UNDO_TRIES = 3;
  public static final Price PRICE = new Price(5_000, "EUR");
  public static final String HTTP = "acme";
  public static final String SECRET =
      "whsec_" + Base64.getEncoder().encodeToString("a secret that only tests know".getBytes());

  static PaymentFixture open(TestServers servers) {
    var provider = new ScriptedProvider();
    var settings =
        Map.<String, Object>ofEntries(
            entry("holdfast.demo", "true"),
            entry("holdfast.payment-timeout", "1500ms"),
            entry("holdfast.payment-url", provider.url() + "/"),
            entry("holdfast.payment-provider", HTTP),
            entry("holdfast.payment-key", "key-of-the-provider"),
            entry("holdfast.payment-methods", "ok, decline"),
            entry("holdfast.payment-secret", SECRET),
            entry("holdfast.checkout-tries", 1),
            entry("holdfast.checkout-undo-tries", UNDO_TRIES),
            entry("holdfast.checkout-pause", "10ms"),
            entry("holdfast.checkout-look", "50ms"));
    return new PaymentFixture(RealServers.start(servers, settings), provider);
  }

  public PaymentGateway gateway(String name) {
    return service.context().getBean(GatewayRegistry.class).find(name).orElseThrow();
  }

  public PaymentNotices notices() {
    return service.context().getBean(PaymentNotices.class);
  }

  public static String id(String prefix) {
    return prefix + "-" + UUID.randomUUID();
  }

  public static PaymentCall call(String paymentId, String method) {
    return call(paymentId, method, PRICE.cents());
  }

  static PaymentCall call(String paymentId, String method, long cents) {
    return new PaymentCall(id("call"), paymentId, method, new Price(cents, PRICE.currency()));
  }

  @Override
  public void close() {
    service.close();
    provider.close();
  }
}
