package io.holdfast.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;

/// The calls of one connection that have no reply yet, in the order in which they were sent, which
/// is that of their replies. A call that is late is given up only at the second look: between two
/// looks the event loop reads from its sockets, so a reply that lay there while the loop itself was
/// late is not taken for a silence of Redis. Used by one event loop.
final class CallsInFlight {
  private final long timeoutNanos;
  private final ArrayDeque<Sent> calls = new ArrayDeque<>();

  CallsInFlight(Duration timeout) {
    this.timeoutNanos = timeout.toNanos();
  }

  interface Call {
    boolean isDone();

    void fail(Throwable failure);
  }

  private static final class Sent {
    private final Call call;
    private long since = System.nanoTime();
    private boolean isFlushed;
    private boolean wasLate;

    Sent(Call call) {
      this.call = call;
    }
  }

  int size() {
    return calls.size();
  }

  void add(Call call) {
    calls.add(new Sent(call));
  }

  /// The calls that were added last leave just now; until here the loop itself was busy.
  void flushed() {
    var now = System.nanoTime();
    for (var last = calls.descendingIterator(); last.hasNext(); ) {
      var sent = last.next();
      if (sent.isFlushed) {
        return;
      }
      sent.isFlushed = true;
      sent.since = now;
    }
  }

  void removeEnded() {
    while (!calls.isEmpty() && calls.peek().call.isDone()) {
      calls.poll();
    }
  }

  /// A look.
  void giveUpOnLate() {
    var now = System.nanoTime();
    for (var sent : calls) {
      var isLate = now - sent.since >= timeoutNanos;
      if (isLate && sent.wasLate) {
        sent.call.fail(new RedisCommandTimeoutException("no answer from Redis in time"));
      }
      sent.wasLate = isLate;
    }
    removeEnded();
  }
}
