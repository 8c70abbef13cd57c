package io.holdfast.seatmap;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// One who listens. It takes pieces of the feed as fast as its connection does; what it has not
/// taken waits in the feed, which all share, and at most one note waits here.
final class SseSubscription implements Publisher<byte[]>, Subscription {
  private final SeatMapFeed feed;
  private final StreamMeters meters;
  private final Consumer<SseSubscription> leaving;
  private final long since = System.nanoTime();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicReference<byte @Nullable []> note = new AtomicReference<>();

  /// Above 0 while one thread hands over; the others leave word that there is more to do.
  private final AtomicInteger work = new AtomicInteger();

  private volatile long position;
  private volatile long askedAt = since;
  private volatile @Nullable Subscriber<? super byte[]> subscriber;
  private volatile boolean isEnding;
  private volatile boolean isOver;

  /// @param lastId that it was told before, on this instance or on another one
  SseSubscription(
      SeatMapFeed feed,
      @Nullable String lastId,
      StreamMeters meters,
      Consumer<SseSubscription> leaving) {
    this.feed = feed;
    this.position = feed.positionOf(lastId);
    this.meters = meters;
    this.leaving = leaving;
    if (position != SeatMapFeed.NOWHERE) {
      note.set(SseFrames.NOTHING_MISSED);
    }
  }

  @Override
  public void subscribe(Subscriber<? super byte[]> given) {
    boolean comesTooLate;
    synchronized (this) {
      subscriber = given;
      comesTooLate = isOver;
    }
    given.onSubscribe(this);
    if (comesTooLate) {
      given.onComplete();
    }
  }

  @Override
  public void request(long count) {
    askedAt = System.nanoTime();
    demand.accumulateAndGet(count, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
    handOver();
  }

  /// The other side is gone.
  @Override
  public void cancel() {
    isOver = true;
    leaving.accept(this);
  }

  /// To be told as soon as it takes something; replaces a note that was not taken yet.
  void note(byte[] frame) {
    note.set(frame);
    handOver();
  }

  /// Shows that the line is well. Any note that waits shows it too, and may say what nothing else
  /// does: it is not replaced.
  void beat() {
    note.compareAndSet(null, SseFrames.HEARTBEAT);
    handOver();
  }

  /// Ends the stream in an orderly way, also if nobody ever came to take it.
  void end() {
    synchronized (this) {
      isEnding = true;
      if (subscriber == null) {
        cancel();
      }
    }
    handOver();
  }

  /// Whether it has not asked for more for so long, though it was offered something.
  boolean hasStalled(long now, long nanos) {
    return demand.get() == 0 && now - askedAt > nanos;
  }

  boolean isOlder(long now, long nanos) {
    return now - since > nanos;
  }

  /// Gives what there is, as long as it is asked for; called whenever either may have changed.
  void handOver() {
    var receiver = subscriber;
    if (receiver == null || work.getAndIncrement() != 0) {
      return;
    }
    var seen = 1;
    do {
      giveAll(receiver);
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void giveAll(Subscriber<? super byte[]> receiver) {
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
      leaving.accept(this);
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
      meters.skipped();
    }
    position = piece.position();
    return piece.frames();
  }
}
