package io.holdfast.web.connection;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts open connections, and those that the service closed because of a limit.
@Singleton
final class ConnectionMeters {
  private final AtomicInteger open = new AtomicInteger();
  private final Map<Limit, Counter> closed = new EnumMap<>(Limit.class);

  /// The limit that a closed connection exceeded.
  enum Limit {
    CONNECTIONS,
    HEADER,
    BODY,
    WRITE,
    IDLE
  }

  ConnectionMeters(MeterRegistry meters) {
    Gauge.builder("holdfast.connections", open, AtomicInteger::get)
        .description("Open HTTP connections")
        .register(meters);
    for (var limit : Limit.values()) {
      closed.put(
          limit,
          Counter.builder("holdfast.connections.closed")
              .description("HTTP connections that were closed because they exceeded a limit")
              .tag("limit", limit.name().toLowerCase(Locale.ROOT))
              .register(meters));
    }
  }

  /// Returns how many are open now.
  int opened() {
    return open.incrementAndGet();
  }

  void ended() {
    open.decrementAndGet();
  }

  void closed(Limit limit) {
    Objects.requireNonNull(closed.get(limit)).increment();
  }
}
