package io.holdfast.events.webhook;

import io.holdfast.postgres.Leases;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Which webhooks are told by this instance, by lease; asked once a second. Two instances that both
/// believe in a lease for a moment tell some events twice, under the same ids, and no harm is done.
@Singleton
final class WebhookLeases {
  private static final Duration RENEWAL = Duration.ofSeconds(1);
  private static final Duration LEASE_FOR = Duration.ofSeconds(5);

  private final WebhookTable table;
  private final Leases leases;
  private final String owner =
      ProcessHandle.current().pid()
          + "-"
          + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  private volatile Map<Long, Webhook> ours = Map.of();
  private volatile long askedAt = System.nanoTime() - RENEWAL.toNanos();
  private volatile Runnable onChange = () -> {};

  WebhookLeases(WebhookTable table, Leases leases) {
    this.table = table;
    this.leases = leases;
  }

  Map<Long, Webhook> now() {
    var now = System.nanoTime();
    if (now - askedAt >= RENEWAL.toNanos()) {
      askedAt = now;
      renew();
    }
    return ours;
  }

  private synchronized void renew() {
    ours = Map.of(); // also if the next line fails
    ours =
        table.enabled().stream()
            .filter(webhook -> leases.take(lease(webhook.id()), owner, LEASE_FOR))
            .collect(Collectors.toUnmodifiableMap(Webhook::id, Function.identity()));
  }

  boolean has(long webhookId) {
    return ours.containsKey(webhookId);
  }

  /// Stops telling it here at once, and everywhere within a second.
  void disable(long webhookId, String why) {
    forget(webhookId);
    table.disable(webhookId, why);
  }

  synchronized void forget(long webhookId) {
    var others = new HashMap<>(ours);
    others.remove(webhookId);
    ours = Map.copyOf(others);
  }

  /// @param action called after a webhook was changed on this instance
  void onChange(Runnable action) {
    onChange = action;
  }

  /// Something about a webhook has changed.
  void lookAgain() {
    askedAt = System.nanoTime() - RENEWAL.toNanos();
    onChange.run();
  }

  void giveBack() {
    ours.keySet().forEach(id -> leases.giveBack(lease(id), owner));
    ours = Map.of();
  }

  private static String lease(long webhookId) {
    return "webhook:" + webhookId;
  }
}
