package io.holdfast.seatmap;

import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.seatmap.SeatMapPoller.Sight;
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

/// Who listens on this instance, and the followers that they share: one for each pool, for as long
/// as somebody listens and a while longer, so that whoever comes back at once misses nothing. When
/// the service stops, all streams end, so that none of them holds it up.
@Singleton
final class PoolWatchers implements GracefulShutdownCapable {
  private static final Duration LINGER = Duration.ofSeconds(30);

  private final StreamSettings settings;
  private final StreamMeters meters;
  private final PoolWatcher.Crew crew;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<PoolName, Entry> followers = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /// @param quietSince when it was seen last that somebody listens; changed under the map's lock
  private record Entry(PoolWatcher follower, long quietSince) {}

  PoolWatchers(
      SeatMapPoller lookout,
      StreamSettings settings,
      StreamMeters meters,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.settings = settings;
    this.meters = meters;
    this.crew = new PoolWatcher.Crew(lookout, settings, meters, executor, this::isLeaving);
    meters.listenersAre(count::get);
  }

  /// What asking to listen comes to.
  sealed interface Joining {
    record Joined(SseSubscription listener) implements Joining {}

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
    var follower = followerOf(pool);
    return follower
        .first()
        .handle(
            (sight, _) -> {
              if (sight instanceof Sight.Nothing(var why) && follower.feed().number() == 0) {
                count.decrementAndGet();
                return new Joining.NotNow(why);
              }
              return new Joining.Joined(joined(pool, follower, lastId));
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
    followers.values().forEach(entry -> entry.follower.endAll());
  }

  /// Whoever comes while all are ended, or to a follower that was just let go, ends too.
  private SseSubscription joined(Pool pool, PoolWatcher follower, @Nullable String lastId) {
    var listener =
        new SseSubscription(follower.feed(), lastId, meters, gone -> leave(follower, gone));
    follower.add(listener);
    var entry = followers.get(pool.name());
    if (isClosed || entry == null || entry.follower != follower) {
      listener.end();
    }
    return listener;
  }

  private void leave(PoolWatcher follower, SseSubscription listener) {
    if (follower.remove(listener)) {
      count.decrementAndGet();
    }
  }

  private PoolWatcher followerOf(Pool pool) {
    var now = System.nanoTime();
    var entry =
        followers.compute(
            pool.name(),
            (_, present) -> new Entry(present == null ? begun(pool) : present.follower, now));
    return Objects.requireNonNull(entry).follower;
  }

  private PoolWatcher begun(Pool pool) {
    var follower = new PoolWatcher(pool, crew);
    follower.start();
    return follower;
  }

  /// Asked by the follower before each look. Under the map's lock, so that nobody joins one that
  /// has just been let go.
  private boolean isLeaving(Pool pool) {
    var now = System.nanoTime();
    var left =
        followers.computeIfPresent(
            pool.name(),
            (_, entry) -> {
              if (entry.follower.hasListeners()) {
                return new Entry(entry.follower, now);
              }
              return now - entry.quietSince > LINGER.toNanos() ? null : entry;
            });
    return isClosed || left == null;
  }
}
