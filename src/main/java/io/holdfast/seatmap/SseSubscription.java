package io.holdfast.seatmap;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// One client of a stream. It sends pieces of the shared feed as fast as the connection takes them.
/// Besides its position it stores at most one note.
final class SseSubscription implements Publisher<byte[]>, Subscription {
  private final SeatMapFeed feed;
  private final StreamMeters meters;
  private final Consumer<SseSubscription> onEnd;
  private final long since = System.nanoTime();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicReference<byte @Nullable []> note = new AtomicReference<>();

  /// Above 0 while one thread sends. Other threads only increment it, and the sender runs again.
  private final AtomicInteger work = new AtomicInteger();

  private volatile long position;
  private volatile long requestedAt = since;
  private volatile @Nullable Subscriber<? super byte[]> subscriber;
  private volatile boolean isEnding;
  private volatile boolean isOver;

  /// @param lastId of the last event that the client has, from any instance
  SseSubscription(
      SeatMapFeed feed,
      @Nullable String lastId,
      StreamMeters meters,
      Consumer<SseSubscription> onEnd) {
    this.feed = feed;
    this.position = feed.positionOf(lastId);
    this.meters = meters;
    this.onEnd = onEnd;
    if (position != SeatMapFeed.NOWHERE) {
      note.set(SseFrames.NOTHING_MISSED);
    }
  }

  @Override
  public void subscribe(Subscriber<? super byte[]> given) {
    boolean isTooLate;
    synchronized (this) {
      subscriber = given;
      isTooLate = isOver;
    }
    given.onSubscribe(this);
    if (isTooLate) {
      given.onComplete();
    }
  }

  @Override
  public void request(long count) {
    requestedAt = System.nanoTime();
    demand.accumulateAndGet(count, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
    drain();
  }

  /// The client is gone.
  @Override
  public void cancel() {
    isOver = true;
    onEnd.accept(this);
  }

  /// Sends a frame that is not part of the feed. Replaces a note that was not sent yet.
  void sendNote(byte[] frame) {
    note.set(frame);
    drain();
  }

  /// Does not replace a waiting note, which shows as well that the connection works.
  void sendHeartbeat() {
    note.compareAndSet(null, SseFrames.HEARTBEAT);
    drain();
  }

  /// Completes the stream, also if it was never subscribed to.
  void end() {
    synchronized (this) {
      isEnding = true;
      if (subscriber == null) {
        cancel();
      }
    }
    drain();
  }

  /// Whether the client has requested nothing for this time although something was sent.
  boolean hasStalled(long now, long nanos) {
    return demand.get() == 0 && now - requestedAt > nanos;
  }

  boolean isOlder(long now, long nanos) {
    return now - since > nanos;
  }

  /// Sends what is available and requested. Called when either may have changed.
  void drain() {
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
    while (!isOver && demand.get() > 0) {
      var frame = next();
      if (frame == null) {
        break;
      }
      demand.decrementAndGet();
      receiver.onNext(frame);
    }
    if (isEnding && !isOver) {
      isOver = true;
      onEnd.accept(this);
      receiver.onComplete();
    }
  }

  private byte @Nullable [] next() {
    var waiting = position == SeatMapFeed.NOWHERE ? null : note.getAndSet(null);
    if (waiting != null) {
      return waiting;
    }
    var piece = feed.after(position);
    if (piece == null) {
      return null;
    }
    if (piece.isSnapshot() && position != SeatMapFeed.NOWHERE) {
      meters.countSkipped();
    }
    position = piece.position();
    return piece.frames();
  }
}
