package io.holdfast.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.pool.Pool;
import io.holdfast.pool.TicketId;
import io.holdfast.waiting.WaitingRoomService.Look;
import io.holdfast.waiting.WaitingScripts.OwnTicket;
import io.micronaut.runtime.graceful.GracefulShutdownCapable;
import io.micronaut.serde.ObjectMapper;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The clients of this instance that listen to tickets, which are limited in number. A client is
/// entered when its response is sent, so one that has gone by then is not listened for. When the
/// service stops, all streams end, so that they do not delay the stop.
@Singleton
final class TicketListeners implements GracefulShutdownCapable {
  static final int LISTENERS_MAX = 10_000;

  /// Enough for the tabs of one visitor, and for connections that were lost a moment ago.
  static final int PER_TICKET_MAX = 4;

  private final WaitingRoomService rooms;
  private final ObjectMapper json;
  private final Set<TicketSubscription> all = ConcurrentHashMap.newKeySet();

  /// How many listen to each ticket. Guarded by this, like all changes of `all`.
  private final Map<TicketId, Integer> counts = new HashMap<>();

  private boolean isClosed;

  TicketListeners(WaitingRoomService rooms, ObjectMapper json) {
    this.rooms = rooms;
    this.json = json;
  }

  /// The result of a request to listen.
  sealed interface SubscribeResult {
    record Subscribed(TicketSubscription subscription) implements SubscribeResult {}

    /// There are as many listeners as allowed.
    record Full(Limit limit) implements SubscribeResult {}

    /// The ticket cannot be shown.
    record Refused(Look look) implements SubscribeResult {}
  }

  enum Limit {
    OF_INSTANCE,
    OF_TICKET
  }

  CompletionStage<SubscribeResult> subscribe(Pool pool, TicketId ticket, String caller) {
    var limit = reached(ticket);
    if (limit != null) {
      return CompletableFuture.completedStage(new SubscribeResult.Full(limit));
    }
    var now = System.nanoTime();
    return rooms
        .look(pool, ticket, caller)
        .thenApply(
            look -> {
              if (!(look instanceof Look.Shown(var view))) {
                return new SubscribeResult.Refused(look);
              }
              var schedule = new LookSchedule(WaitingScripts.room(pool).grace(), view, now);
              var own = new OwnTicket(ticket, caller);
              var listener = new TicketSubscription(pool, own, schedule, this);
              listener.show(view);
              return new SubscribeResult.Subscribed(listener);
            });
  }

  /// Returns false if a limit was reached since the request, or if the service stops.
  synchronized boolean add(TicketSubscription listener) {
    var ticket = listener.ticket().id();
    if (reached(ticket) != null) {
      return false;
    }
    counts.merge(ticket, 1, Integer::sum);
    return all.add(listener);
  }

  synchronized void remove(TicketSubscription listener) {
    if (all.remove(listener)) {
      counts.computeIfPresent(listener.ticket().id(), (_, count) -> count == 1 ? null : count - 1);
    }
  }

  Set<TicketSubscription> all() {
    return all;
  }

  byte[] frame(TicketView view) {
    try {
      return ("event: ticket\ndata: " + json.writeValueAsString(view) + "\n\n").getBytes(UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CompletionStage<?> shutdownGracefully() {
    close();
    return CompletableFuture.completedStage(null);
  }

  @PreDestroy
  void close() {
    refuseMore().forEach(TicketSubscription::end);
  }

  private synchronized List<TicketSubscription> refuseMore() {
    isClosed = true;
    return List.copyOf(all);
  }

  /// A service that stops is full.
  private synchronized @Nullable Limit reached(TicketId ticket) {
    if (isClosed || all.size() >= LISTENERS_MAX) {
      return Limit.OF_INSTANCE;
    }
    return counts.getOrDefault(ticket, 0) >= PER_TICKET_MAX ? Limit.OF_TICKET : null;
  }
}
