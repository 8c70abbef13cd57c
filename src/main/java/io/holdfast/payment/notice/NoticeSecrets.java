package io.holdfast.payment.notice;

import io.holdfast.payment.PaymentSettings;
import io.holdfast.payment.simulator.Simulator;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The secret of each provider. The one of the simulator never leaves this process.
@Singleton
public final class NoticeSecrets {
  private final Map<String, NoticeSecret> byProvider = new HashMap<>();

  NoticeSecrets(PaymentSettings settings, SecureRandom random) {
    settings.provider().ifPresent(it -> byProvider.put(it.name(), it.secret()));
    if (settings.demo()) {
      byProvider.put(Simulator.PROVIDER, NoticeSecret.random(random));
    }
  }

  /// Empty for a provider that is not configured.
  public Optional<NoticeSecret> of(String provider) {
    return Optional.ofNullable(byProvider.get(provider));
  }
}
