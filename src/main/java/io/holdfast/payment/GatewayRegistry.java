package io.holdfast.payment;

import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.payment.simulator.Simulator;
import io.holdfast.payment.simulator.SimulatorLedger;
import io.holdfast.payment.simulator.SimulatorNoticeSender;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The gateway of each configured provider: the simulator in demo mode, and one over HTTP.
@Singleton
public final class GatewayRegistry {
  private final Map<String, PaymentGateway> byProvider = new HashMap<>();

  GatewayRegistry(
      PaymentSettings settings,
      SimulatorLedger ledger,
      SimulatorNoticeSender noticeSender,
      PaymentCallLog calls,
      PaymentNotices notices,
      MeterRegistry meters,
      ObjectMapper json) {
    if (settings.demo()) {
      var simulator = new Simulator(ledger, noticeSender::noticeIn);
      add(new RecordedGateway(simulator, calls, notices, meters, settings));
    }
    if (settings.provider().isPresent()) {
      var http = new HttpGateway(settings.provider().get(), settings, json);
      add(new RecordedGateway(http, calls, notices, meters, settings));
    }
  }

  private void add(PaymentGateway gateway) {
    byProvider.put(gateway.provider(), gateway);
  }

  /// Empty for a provider that is not configured.
  public Optional<PaymentGateway> find(String provider) {
    return Optional.ofNullable(byProvider.get(provider));
  }
}
