package io.holdfast.payment;

import io.holdfast.config.Settings;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.payment.simulator.Simulator;
import io.holdfast.payment.simulator.SimulatorLedger;
import io.holdfast.payment.simulator.SimulatorNoticeSender;
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
  GatewayRegistry gateways(
      PaymentSettings settings,
      SimulatorLedger books,
      SimulatorNoticeSender messenger,
      PaymentCallLog asks,
      PaymentNotices notices,
      PaymentMeters meters,
      ObjectMapper json) {
    var outsides = new ArrayList<PaymentGateway>();
    if (settings.demo()) {
      outsides.add(new Simulator(books, messenger::comeIn));
    }
    settings.provider().ifPresent(it -> outsides.add(new HttpGateway(it, settings, json)));
    return new GatewayRegistry(
        outsides.stream()
            .<PaymentGateway>map(
                outside -> new RecordedGateway(outside, asks, notices, meters, settings))
            .toList());
  }
}
