package io.holdfast.waiting;

import io.holdfast.pool.Pool;
import io.holdfast.waiting.WaitingScripts.OwnTicket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// One client that listens to one ticket, from the moment that its response is sent. It stores at
/// most one frame, the latest, so a slow client skips what is outdated.
final class TicketSubscription implements Publisher<byte[]>, Subscription {
  private final Pool pool;
  private final OwnTicket ticket;
  private final LookSchedule schedule;
  private final TicketListeners listeners;
  private final long since = System.nanoTime();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicReference<byte @Nullable []> frame = new AtomicReference<>();

  /// Above 0 while one thread sends. Other threads only increment it, and the sender runs again.
  private final AtomicInteger work = new AtomicInteger();

  private volatile @Nullable TicketView shown;
  private volatile @Nullable Subscriber<? super byte[]> subscriber;
  private volatile boolean isEnding;
  private volatile boolean isOver;

  TicketSubscription(
      Pool pool, OwnTicket ticket, LookSchedule schedule, TicketListeners listeners) {
    this.pool = pool;
    this.ticket = ticket;
    this.schedule = schedule;
    this.listeners = listeners;
  }

  Pool pool() {
    return pool;
  }

  OwnTicket ticket() {
    return ticket;
  }

  LookSchedule schedule() {
    return schedule;
  }

  boolean isLive() {
    return !isOver;
  }

  boolean isOlder(long now, long nanos) {
    return now - since > nanos;
  }

  @Override
  public void subscribe(Subscriber<? super byte[]> given) {
    subscriber = given;
    if (!listeners.add(this)) { // before the subscriber may cancel
      isEnding = true;
    }
    given.onSubscribe(this);
    send();
  }

  @Override
  public void request(long count) {
    demand.accumulateAndGet(count, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
    send();
  }

  /// The client is gone.
  @Override
  public void cancel() {
    isOver = true;
    listeners.remove(this);
  }

  /// Sends the ticket if it has changed.
  void show(TicketView view) {
    if (!view.equals(shown)) {
      shown = view;
      frame.set(listeners.frame(view));
      send();
    }
  }

  /// Does not replace a waiting frame, which shows as well that the connection works.
  void sendHeartbeat(byte[] comment) {
    frame.compareAndSet(null, comment);
    send();
  }

  /// Completes the stream after its last frame.
  void end() {
    isEnding = true;
    send();
  }

  private void send() {
    var receiver = subscriber;
    if (receiver == null || work.getAndIncrement() != 0) {
      return;
    }
    var seen = 1;
    do {
      sendAll(receiver);
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void sendAll(Subscriber<? super byte[]> receiver) {
    if (!isOver && demand.get() > 0) {
      var next = frame.getAndSet(null);
      if (next != null) {
        demand.decrementAndGet();
        receiver.onNext(next);
      }
    }
    if (isEnding && !isOver && frame.get() == null) {
      isOver = true;
      listeners.remove(this);
      receiver.onComplete();
    }
  }
}
