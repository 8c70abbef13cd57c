package io.holdfast.events.webhook;

import io.holdfast.postgres.Leases;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.InstanceId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The webhooks that this instance serves. Leases are renewed once a second. If two instances hold
/// a lease for a moment, some events are sent twice, under the same ids.
@Singleton
final class WebhookLeases {
  private static final Duration RENEWAL = Duration.ofSeconds(1);
  private static final Duration LEASE_FOR = Duration.ofSeconds(5);

  private final WebhookTable table;
  private final Transactions transactions;
  private final Leases leases;
  private final String owner;
  private volatile Map<Long, Webhook> leased = Map.of();
  private volatile long renewedAt = System.nanoTime() - RENEWAL.toNanos();
  private volatile Runnable onChange = () -> {};

  WebhookLeases(WebhookTable table, Transactions transactions, Leases leases, InstanceId instance) {
    this.table = table;
    this.transactions = transactions;
    this.leases = leases;
    this.owner = instance.name();
  }

  /// The leased webhooks by id.
  Map<Long, Webhook> current() {
    var now = System.nanoTime();
    if (now - renewedAt >= RENEWAL.toNanos()) {
      renewedAt = now;
      renew();
    }
    return leased;
  }

  private synchronized void renew() {
    leased = Map.of(); // stays empty if the renewal fails
    leased =
        table.findEnabled().stream()
            .filter(webhook -> leases.take(name(webhook.id()), owner, LEASE_FOR))
            .collect(Collectors.toUnmodifiableMap(Webhook::id, Function.identity()));
  }

  /// The webhook as it was read last; null if it is not leased.
  @Nullable Webhook find(long webhookId) {
    return leased.get(webhookId);
  }

  /// Stops deliveries here at once, and on other instances within a second.
  void disable(long webhookId, String why) {
    drop(webhookId);
    transactions.write(
        _ -> {
          table.disable(webhookId, why);
          return null;
        });
  }

  synchronized void drop(long webhookId) {
    var others = new HashMap<>(leased);
    others.remove(webhookId);
    leased = Map.copyOf(others);
  }

  /// @param action runs after a webhook was changed on this instance
  void onChange(Runnable action) {
    onChange = action;
  }

  /// Makes the next call of `current` read the webhooks again.
  void webhooksChanged() {
    renewedAt = System.nanoTime() - RENEWAL.toNanos();
    onChange.run();
  }

  void release() {
    leased.keySet().forEach(id -> leases.giveBack(name(id), owner));
    leased = Map.of();
  }

  private static String name(long webhookId) {
    return "webhook:" + webhookId;
  }
}
