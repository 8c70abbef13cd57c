package io.holdfast.payment;

import io.holdfast.Settings;
import io.holdfast.postgres.PaymentAsks;
import io.holdfast.postgres.SimulatorBooks;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.util.ArrayList;

@Factory
final class PaymentFactory {

  /// At the start, so that a wrong one ends it there.
  @Context
  PaymentSettings paymentSettings(Settings settings) {
    return PaymentSettings.of(settings);
  }

  @Singleton
  Gateways gateways(
      PaymentSettings settings,
      SimulatorBooks books,
      SimulatorMessenger messenger,
      PaymentAsks asks,
      PaymentNotices notices,
      PaymentMeters meters,
      ObjectMapper json) {
    var outsides = new ArrayList<PaymentGateway>();
    if (settings.demo()) {
      outsides.add(new Simulator(books, messenger::comeIn));
    }
    settings.provider().ifPresent(it -> outsides.add(new HttpGateway(it, settings, json)));
    return new Gateways(
        outsides.stream()
            .<PaymentGateway>map(
                outside -> new GuardedGateway(outside, asks, notices, meters, settings))
            .toList());
  }
}
