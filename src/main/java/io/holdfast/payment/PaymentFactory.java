package io.holdfast.payment;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

@Factory
final class PaymentFactory {

  /// Read at the start, so that an invalid setting ends it there.
  @Context
  PaymentSettings paymentSettings(Settings settings) {
    return PaymentSettings.of(settings);
  }
}
