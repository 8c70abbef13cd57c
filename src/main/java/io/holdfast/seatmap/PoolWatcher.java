package io.holdfast.seatmap;

import io.holdfast.pool.Pool;
import io.holdfast.seatmap.SeatMapPoller.Sight;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows one pool for all who listen to it on this instance: looks several times a second whether
/// anything has changed, wherever that was done, and tells what has. What it learns does not depend
/// on messages that could be lost: it compares what it has told with what is. It is no periodic
/// task: it never blocks, there is one for each pool that is watched, and it ends with its
/// audience.
final class PoolWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PoolWatcher.class);

  private static final Duration PAUSE = Duration.ofMillis(150);

  /// After a look that took long it rests so many times as long.
  private static final int REST = 4;

  private static final Duration REST_MAX = Duration.ofSeconds(5);

  /// How long those who come first wait for a picture, such as of a pool that is just being opened.
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final String OWN_ERROR = "the service met an error of its own";

  private final Pool pool;
  private final Crew crew;
  private final SeatMapFeed feed = new SeatMapFeed();
  private final Set<SseSubscription> listeners = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Sight> first = new CompletableFuture<>();
  private final long since = System.nanoTime();
  private long beatAt = since;

  /// Changed and told under the lock of this: whoever comes meanwhile is told once, and the truth.
  private @Nullable String blindness;

  /// What all followers share.
  ///
  /// @param executor for threads that may block
  /// @param isLeaving whether a follower has nobody to follow for any more, and may end
  record Crew(
      SeatMapPoller lookout,
      StreamSettings settings,
      StreamMeters meters,
      Executor executor,
      Predicate<Pool> isLeaving) {}

  PoolWatcher(Pool pool, Crew crew) {
    this.pool = pool;
    this.crew = crew;
  }

  void start() {
    crew.executor.execute(this::look);
  }

  /// What the first look has come to, after which there is a picture, or none for now.
  CompletionStage<Sight> first() {
    return first;
  }

  SeatMapFeed feed() {
    return feed;
  }

  synchronized void add(SseSubscription listener) {
    listeners.add(listener);
    if (blindness != null) {
      listener.note(SseFrames.seeingNothing(blindness));
    }
  }

  boolean remove(SseSubscription listener) {
    return listeners.remove(listener);
  }

  boolean hasListeners() {
    return !listeners.isEmpty();
  }

  void endAll() {
    listeners.forEach(SseSubscription::end);
  }

  private void look() {
    if (crew.isLeaving.test(pool)) {
      return;
    }
    crew.meters.looked();
    var begun = System.nanoTime();
    CompletableFuture.completedStage(pool)
        .thenCompose(it -> crew.lookout.look(it, feed.tag()))
        .exceptionally(PoolWatcher::unforeseen)
        .thenAcceptAsync(this::tell, crew.executor)
        .whenComplete((_, failure) -> lookAgain(begun, failure));
  }

  private void lookAgain(long begun, @Nullable Throwable failure) {
    if (failure != null) {
      LOG.error("What was seen of pool {} could not be told", pool.name(), failure);
      first.complete(new Sight.Nothing(OWN_ERROR));
    }
    var rest = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(REST);
    var pause = rest.compareTo(PAUSE) < 0 ? PAUSE : rest;
    var bounded = pause.compareTo(REST_MAX) < 0 ? pause : REST_MAX;
    CompletableFuture.delayedExecutor(bounded.toNanos(), TimeUnit.NANOSECONDS, crew.executor)
        .execute(this::look);
  }

  private void tell(Sight sight) {
    switch (sight) {
      case Sight.Same() -> seeAgain();
      case Sight.Changed(var picture) -> {
        seeAgain();
        if (feed.show(picture)) {
          listeners.forEach(SseSubscription::handOver);
        }
      }
      case Sight.Nothing(var why) -> seeNothing(why);
    }
    if (!(sight instanceof Sight.Nothing) || System.nanoTime() - since > PATIENCE.toNanos()) {
      first.complete(sight);
    }
    beat();
  }

  private synchronized void seeNothing(String why) {
    if (blindness == null) {
      listeners.forEach(listener -> listener.note(SseFrames.seeingNothing(why)));
    }
    blindness = why;
  }

  private synchronized void seeAgain() {
    if (blindness != null) {
      blindness = null;
      listeners.forEach(listener -> listener.note(SseFrames.SEEING_AGAIN));
    }
  }

  /// Lets those know who have heard nothing for long, and lets go who is gone or has been here long
  /// enough.
  private void beat() {
    var now = System.nanoTime();
    var settings = crew.settings;
    if (now - beatAt < settings.heartbeat().toNanos()) {
      return;
    }
    beatAt = now;
    for (var listener : listeners) {
      if (listener.hasStalled(now, settings.patience().toNanos())) {
        crew.meters.stalled();
        listener.end();
      } else if (listener.isOlder(now, settings.life().toNanos())) {
        listener.end();
      } else {
        listener.beat();
      }
    }
  }

  private static Sight unforeseen(Throwable failure) {
    LOG.error("A look at a pool has failed", failure);
    return new Sight.Nothing(OWN_ERROR);
  }
}
