package io.holdfast.payment;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// All gateways by provider.
public final class GatewayRegistry {
  private final Map<String, PaymentGateway> byProvider;

  GatewayRegistry(List<PaymentGateway> gateways) {
    byProvider =
        gateways.stream()
            .collect(Collectors.toUnmodifiableMap(PaymentGateway::provider, Function.identity()));
  }

  /// Empty for a provider that nobody has configured.
  public Optional<PaymentGateway> find(String provider) {
    return Optional.ofNullable(byProvider.get(provider));
  }
}
