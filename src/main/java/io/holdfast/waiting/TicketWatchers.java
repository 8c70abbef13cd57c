package io.holdfast.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.pool.Pool;
import io.holdfast.pool.TicketId;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.waiting.WaitingRoomService.Look;
import io.micronaut.core.annotation.Order;
import io.micronaut.runtime.graceful.GracefulShutdownCapable;
import io.micronaut.serde.ObjectMapper;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The clients of this instance that listen to tickets. One call per pool tells whether anything
/// has changed; only then the tickets of the pool are looked at. They are looked at now and then
/// anyway, because listening counts as a sign of life.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class TicketWatchers implements StartupTask, GracefulShutdownCapable {
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /// A stream ends then, so that the client authenticates again.
  private static final Duration LIFE = Duration.ofMinutes(15);

  private static final int LISTENERS_MAX = 10_000;

  /// How many signs of life are given within the grace of a ticket.
  private static final int SIGNS_PER_GRACE = 3;

  private static final byte[] STILL_HERE = ": still here\n\n".getBytes(UTF_8);

  private final WaitingRoomService rooms;
  private final WaitingScripts scripts;
  private final ObjectMapper json;
  private final PeriodicTask task;
  private final Set<TicketSubscription> subscriptions = ConcurrentHashMap.newKeySet();
  private final Map<Pool, Seen> seen = new HashMap<>();
  private long heartbeatAt = System.nanoTime();
  private volatile boolean isClosed;

  /// @param state what was read of the pool; a change means that tickets may have changed
  private record Seen(String state, long at) {}

  TicketWatchers(
      WaitingRoomService rooms, WaitingScripts scripts, ObjectMapper json, PeriodicTasks tasks) {
    this.rooms = rooms;
    this.scripts = scripts;
    this.json = json;
    this.task = tasks.every("ticket-watch", PAUSE, this::poll);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// The result of a request to listen.
  sealed interface Subscribing {
    record Subscribed(TicketSubscription subscription) implements Subscribing {}

    record Full() implements Subscribing {}

    /// The ticket cannot be shown.
    record Refused(Look look) implements Subscribing {}
  }

  CompletionStage<Subscribing> subscribe(Pool pool, TicketId ticket, String caller) {
    if (isClosed || subscriptions.size() >= LISTENERS_MAX) {
      return CompletableFuture.completedStage(new Subscribing.Full());
    }
    return rooms
        .look(pool, ticket, caller)
        .thenApply(
            look -> {
              if (!(look instanceof Look.Shown(var view))) {
                return new Subscribing.Refused(look);
              }
              var listener = new TicketSubscription(pool, ticket, caller, subscriptions::remove);
              subscriptions.add(listener);
              listener.show(view, frame(view));
              return new Subscribing.Subscribed(listener);
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
    subscriptions.forEach(TicketSubscription::end);
  }

  private void poll() {
    var byPool = subscriptions.stream().collect(Collectors.groupingBy(TicketSubscription::pool));
    seen.keySet().retainAll(byPool.keySet());
    byPool.forEach(
        (pool, listeners) -> {
          if (hasChanged(pool)) {
            listeners.forEach(this::show);
          }
        });
    sendHeartbeats();
  }

  private boolean hasChanged(Pool pool) {
    var now = System.nanoTime();
    var before = seen.get(pool);
    var state = state(pool);
    var grace = WaitingScripts.room(pool).grace();
    var isDue = before == null || now - before.at > grace.toNanos() / SIGNS_PER_GRACE;
    if (state == null || !isDue && before != null && state.equals(before.state)) {
      return false;
    }
    seen.put(pool, new Seen(state, now));
    return true;
  }

  /// Null if Redis cannot tell. The counts of a queue and the lines of the journal change with
  /// every change of a ticket.
  private @Nullable String state(Pool pool) {
    try {
      var head = scripts.head(pool.name(), 0);
      return head == null ? null : head.toString();
    } catch (RedisUnavailable e) {
      return null;
    }
  }

  private void show(TicketSubscription listener) {
    rooms
        .look(listener.pool(), listener.ticket(), listener.caller())
        .thenAccept(
            look -> {
              if (look instanceof Look.Shown(var view)) {
                listener.show(view, frame(view));
              }
            });
  }

  private void sendHeartbeats() {
    var now = System.nanoTime();
    if (now - heartbeatAt < HEARTBEAT.toNanos()) {
      return;
    }
    heartbeatAt = now;
    for (var listener : List.copyOf(subscriptions)) {
      if (listener.isOlder(now, LIFE.toNanos())) {
        listener.end();
      } else {
        listener.sendHeartbeat(STILL_HERE);
      }
    }
  }

  private byte[] frame(TicketView view) {
    try {
      return ("event: ticket\ndata: " + json.writeValueAsString(view) + "\n\n").getBytes(UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
