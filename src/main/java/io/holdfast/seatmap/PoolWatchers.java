package io.holdfast.seatmap;

import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.seatmap.SeatMapPoller.PollResult;
import io.micronaut.runtime.graceful.GracefulShutdownCapable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The subscriptions of this instance and their watchers, one watcher per pool. A watcher outlives
/// its last subscription for a while, so that a client that reconnects misses nothing. When the
/// service stops, all streams end, so that they do not delay the stop.
@Singleton
final class PoolWatchers implements GracefulShutdownCapable {
  private static final Duration LINGER = Duration.ofSeconds(30);

  private final StreamSettings settings;
  private final StreamMeters meters;
  private final PoolWatcher.Shared shared;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<PoolName, Entry> watchers = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /// @param usedAt when the watcher last had a subscription; changed under the map's lock
  private record Entry(PoolWatcher watcher, long usedAt) {}

  PoolWatchers(
      SeatMapPoller poller,
      StreamSettings settings,
      StreamMeters meters,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.settings = settings;
    this.meters = meters;
    this.shared = new PoolWatcher.Shared(poller, settings, meters, executor, this::isUnused);
    meters.gaugeListeners(count::get);
  }

  /// The result of a request to subscribe.
  sealed interface Joining {
    record Joined(SseSubscription subscription) implements Joining {}

    record Full() implements Joining {}

    record NotNow(String why) implements Joining {}
  }

  CompletionStage<Joining> join(Pool pool, @Nullable String lastId) {
    if (isClosed) {
      return CompletableFuture.completedStage(new Joining.NotNow("this instance is stopping"));
    }
    if (count.incrementAndGet() > settings.listeners()) {
      count.decrementAndGet();
      return CompletableFuture.completedStage(new Joining.Full());
    }
    var watcher = watcherOf(pool);
    return watcher
        .first()
        .handle(
            (result, _) -> {
              if (result instanceof PollResult.Unavailable(var why)
                  && watcher.feed().number() == 0) {
                count.decrementAndGet();
                return new Joining.NotNow(why);
              }
              return new Joining.Joined(subscribe(pool, watcher, lastId));
            });
  }

  @Override
  public CompletionStage<?> shutdownGracefully() {
    close();
    return CompletableFuture.completedStage(null);
  }

  @PreDestroy
  void close() {
    isClosed = true;
    watchers.values().forEach(entry -> entry.watcher.endAll());
  }

  /// A subscription ends at once if the service is stopping or its watcher has just ended.
  private SseSubscription subscribe(Pool pool, PoolWatcher watcher, @Nullable String lastId) {
    var subscription =
        new SseSubscription(watcher.feed(), lastId, meters, ended -> remove(watcher, ended));
    watcher.add(subscription);
    var entry = watchers.get(pool.name());
    if (isClosed || entry == null || entry.watcher != watcher) {
      subscription.end();
    }
    return subscription;
  }

  private void remove(PoolWatcher watcher, SseSubscription subscription) {
    if (watcher.remove(subscription)) {
      count.decrementAndGet();
    }
  }

  private PoolWatcher watcherOf(Pool pool) {
    var now = System.nanoTime();
    var entry =
        watchers.compute(
            pool.name(),
            (_, present) -> new Entry(present == null ? start(pool) : present.watcher, now));
    return Objects.requireNonNull(entry).watcher;
  }

  private PoolWatcher start(Pool pool) {
    var watcher = new PoolWatcher(pool, shared);
    watcher.start();
    return watcher;
  }

  /// Called by a watcher before each poll. Decides under the map's lock, so that no subscription
  /// joins a watcher that ends.
  private boolean isUnused(Pool pool) {
    var now = System.nanoTime();
    var left =
        watchers.computeIfPresent(
            pool.name(),
            (_, entry) -> {
              if (entry.watcher.hasSubscriptions()) {
                return new Entry(entry.watcher, now);
              }
              return now - entry.usedAt > LINGER.toNanos() ? null : entry;
            });
    return isClosed || left == null;
  }
}
