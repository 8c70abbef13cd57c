package io.holdfast.payment;

import io.holdfast.Service;
import io.holdfast.pool.Price;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;

/// A service with both gateways, the simulator and one over HTTP, and what tests ask of them.
record Till(Service service, ScriptedProvider provider) implements AutoCloseable {
  static final Price PRICE = new Price(5_000, "EUR");
  static final String HTTP = "acme";
  static final String SECRET =
      "whsec_" + Base64.getEncoder().encodeToString("a secret that only tests know".getBytes());

  static Till open(TestServers servers) {
    var provider = new ScriptedProvider();
    var settings =
        Map.<String, Object>of(
            "holdfast.demo", "true",
            "holdfast.payment-timeout", "1500ms",
            "holdfast.payment-url", provider.url() + "/",
            "holdfast.payment-provider", HTTP,
            "holdfast.payment-key", "key-of-the-provider",
            "holdfast.payment-methods", "ok, decline",
            "holdfast.payment-secret", SECRET);
    return new Till(RealServers.start(servers, settings), provider);
  }

  PaymentGateway gateway(String name) {
    return service.context().getBean(Gateways.class).find(name).orElseThrow();
  }

  PaymentNotices notices() {
    return service.context().getBean(PaymentNotices.class);
  }

  static String id(String prefix) {
    return prefix + "-" + UUID.randomUUID();
  }

  static PaymentCall call(String paymentId, String method) {
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
