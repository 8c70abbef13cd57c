package io.holdfast.seatmap;

import io.holdfast.pool.Pool;
import io.holdfast.seatmap.SeatMapPoller.PollResult;
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

/// Polls one pool for all subscriptions of this instance, several times a second, and sends the
/// changes. It compares snapshots instead of relying on messages, so no change is missed. It is not
/// a `PeriodicTask`: it never blocks, there is one per watched pool, and it ends with its
/// subscriptions.
final class PoolWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PoolWatcher.class);

  private static final Duration PAUSE = Duration.ofMillis(150);

  /// The pause after a poll is this many times as long as the poll.
  private static final int PAUSE_FACTOR = 4;

  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  /// How long the first subscriptions wait for a snapshot, for example while the pool is opened.
  private static final Duration FIRST_SNAPSHOT_MAX = Duration.ofSeconds(2);

  private static final String OWN_ERROR = "the service has an internal error";

  private final Pool pool;
  private final Shared shared;
  private final SeatMapFeed feed = new SeatMapFeed();
  private final Set<SseSubscription> subscriptions = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<PollResult> first = new CompletableFuture<>();
  private final long since = System.nanoTime();
  private long heartbeatAt = since;

  /// Why the pool cannot be read now, or null. Changed and sent under the lock of this object, so
  /// that a new subscription gets the current value exactly once.
  private @Nullable String outage;

  /// What all watchers share.
  ///
  /// @param executor for threads that may block
  /// @param isUnused whether a watcher has no subscriptions any more and has to end
  record Shared(
      SeatMapPoller poller,
      StreamSettings settings,
      StreamMeters meters,
      Executor executor,
      Predicate<Pool> isUnused) {}

  PoolWatcher(Pool pool, Shared shared) {
    this.pool = pool;
    this.shared = shared;
  }

  void start() {
    shared.executor.execute(this::poll);
  }

  /// The result of the first poll; then there is a snapshot, or the pool is unavailable.
  CompletionStage<PollResult> first() {
    return first;
  }

  SeatMapFeed feed() {
    return feed;
  }

  synchronized void add(SseSubscription subscription) {
    subscriptions.add(subscription);
    if (outage != null) {
      subscription.sendNote(SseFrames.outage(outage));
    }
  }

  boolean remove(SseSubscription subscription) {
    return subscriptions.remove(subscription);
  }

  boolean hasSubscriptions() {
    return !subscriptions.isEmpty();
  }

  void endAll() {
    subscriptions.forEach(SseSubscription::end);
  }

  private void poll() {
    if (shared.isUnused.test(pool)) {
      return;
    }
    shared.meters.countPoll();
    var begun = System.nanoTime();
    CompletableFuture.completedStage(pool)
        .thenCompose(it -> shared.poller.poll(it, feed.etag()))
        .exceptionally(PoolWatcher::failed)
        .thenAcceptAsync(this::publish, shared.executor)
        .whenComplete((_, failure) -> pollAgain(begun, failure));
  }

  private static PollResult failed(Throwable failure) {
    LOG.error("A poll of a pool has failed", failure);
    return new PollResult.Unavailable(OWN_ERROR);
  }

  private void publish(PollResult result) {
    switch (result) {
      case PollResult.Same() -> endOutage();
      case PollResult.Changed(var snapshot) -> {
        endOutage();
        if (feed.update(snapshot)) {
          subscriptions.forEach(SseSubscription::drain);
        }
      }
      case PollResult.Unavailable(var why) -> beginOutage(why);
    }
    if (!(result instanceof PollResult.Unavailable)
        || System.nanoTime() - since > FIRST_SNAPSHOT_MAX.toNanos()) {
      first.complete(result);
    }
    sendHeartbeats();
  }

  private synchronized void beginOutage(String why) {
    if (outage == null) {
      subscriptions.forEach(each -> each.sendNote(SseFrames.outage(why)));
    }
    outage = why;
  }

  private synchronized void endOutage() {
    if (outage != null) {
      outage = null;
      subscriptions.forEach(each -> each.sendNote(SseFrames.OUTAGE_OVER));
    }
  }

  /// Sends heartbeats, and ends subscriptions that have stalled or reached their maximum age.
  private void sendHeartbeats() {
    var now = System.nanoTime();
    var settings = shared.settings;
    if (now - heartbeatAt < settings.heartbeat().toNanos()) {
      return;
    }
    heartbeatAt = now;
    for (var subscription : subscriptions) {
      if (subscription.hasStalled(now, settings.stallMax().toNanos())) {
        shared.meters.countStalled();
        subscription.end();
      } else if (subscription.isOlder(now, settings.life().toNanos())) {
        subscription.end();
      } else {
        subscription.sendHeartbeat();
      }
    }
  }

  private void pollAgain(long begun, @Nullable Throwable failure) {
    if (failure != null) {
      LOG.error("A change of pool {} could not be sent", pool.name(), failure);
      first.complete(new PollResult.Unavailable(OWN_ERROR));
    }
    var longer = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(PAUSE_FACTOR);
    var pause = longer.compareTo(PAUSE) < 0 ? PAUSE : longer;
    var bounded = pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
    CompletableFuture.delayedExecutor(bounded.toNanos(), TimeUnit.NANOSECONDS, shared.executor)
        .execute(this::poll);
  }
}
