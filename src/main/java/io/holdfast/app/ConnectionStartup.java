package io.holdfast.app;

import io.holdfast.postgres.ConnectionPool;
import io.holdfast.redis.RedisConnections;
import io.micronaut.context.ApplicationContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Opens the links to Postgres and Redis side by side, and beside whatever else a start does: each
/// waits for its server most of the time. For one thread, the starting one.
final class ConnectionStartup {
  private static final Executor OWN_THREAD =
      link -> Thread.ofPlatform().name("link").daemon().start(link);

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

  /// Ends when both stand, or with what the first of them failed with.
  void awaitOpen() {
    awaitEnd();
    openings.forEach(CompletableFuture::join);
  }

  /// Ends when both stand or have failed.
  void awaitEnd() {
    openings.forEach(opening -> opening.handle((_, _) -> null).join());
  }

  private void begin(Class<?> link) {
    openings.add(CompletableFuture.supplyAsync(() -> context.getBean(link), OWN_THREAD));
  }
}
