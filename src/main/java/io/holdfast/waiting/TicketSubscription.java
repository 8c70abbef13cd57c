package io.holdfast.waiting;

import io.holdfast.pool.Pool;
import io.holdfast.pool.TicketId;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// One client that listens to one ticket. It stores at most one frame, the latest, so a slow client
/// skips what is outdated.
final class TicketSubscription implements Publisher<byte[]>, Subscription {
  private final Pool pool;
  private final TicketId ticket;
  private final String caller;
  private final Consumer<TicketSubscription> onEnd;
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
      Pool pool, TicketId ticket, String caller, Consumer<TicketSubscription> onEnd) {
    this.pool = pool;
    this.ticket = ticket;
    this.caller = caller;
    this.onEnd = onEnd;
  }

  Pool pool() {
    return pool;
  }

  TicketId ticket() {
    return ticket;
  }

  String caller() {
    return caller;
  }

  boolean isOlder(long now, long nanos) {
    return now - since > nanos;
  }

  @Override
  public void subscribe(Subscriber<? super byte[]> given) {
    subscriber = given;
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
    onEnd.accept(this);
  }

  /// Sends the ticket if it has changed.
  ///
  /// @param event the frame of this view
  void show(TicketView view, byte[] event) {
    if (!view.equals(shown)) {
      shown = view;
      frame.set(event);
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
    if (subscriber == null) {
      cancel();
    }
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
      onEnd.accept(this);
      receiver.onComplete();
    }
  }
}
