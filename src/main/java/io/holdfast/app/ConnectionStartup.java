package io.holdfast.app;

import io.holdfast.postgres.ConnectionPool;
import io.holdfast.redis.RedisConnections;
import io.micronaut.context.ApplicationContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Opens the connections to Postgres and Redis in parallel with each other and with the rest of the
/// start, because opening is mostly waiting. For the starting thread only.
final class ConnectionStartup {
  private static final Executor OWN_THREAD =
      opening -> Thread.ofPlatform().name("link").daemon().start(opening);

  private final ApplicationContext context;
  private final List<CompletableFuture<?>> openings = new ArrayList<>();

  ConnectionStartup(ApplicationContext context) {
    this.context = context;
  }

  /// Returns at once. The servers have to be ready; a second call changes nothing.
  void open() {
    if (!openings.isEmpty()) {
      return;
    }
    begin(ConnectionPool.class);
    begin(RedisConnections.class);
  }

  /// Returns when both are open, or fails as the first of them.
  void awaitOpen() {
    awaitEnd();
    openings.forEach(CompletableFuture::join);
  }

  /// Returns when both are open or have failed.
  void awaitEnd() {
    openings.forEach(opening -> opening.handle((_, _) -> null).join());
  }

  private void begin(Class<?> bean) {
    openings.add(CompletableFuture.supplyAsync(() -> context.getBean(bean), OWN_THREAD));
  }
}
