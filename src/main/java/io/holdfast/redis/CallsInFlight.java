package io.holdfast.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;

/// The calls of one connection that have no reply yet, in the order in which they were sent, which
/// is that of their replies. A late call fails only at the second check: between two checks the
/// event loop reads from its sockets, so a reply that arrived while the loop itself was late still
/// counts. Used by one event loop.
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

  /// The calls added since the last flush are sent now. Their time counts from here, because until
  /// now the loop itself was busy.
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

  /// Fails the calls that are late for the second time.
  void failLate() {
    var now = System.nanoTime();
    for (var sent : calls) {
      var isLate = now - sent.since >= timeoutNanos;
      if (isLate && sent.wasLate) {
        sent.call.fail(new RedisCommandTimeoutException("no reply from Redis in time"));
      }
      sent.wasLate = isLate;
    }
    removeEnded();
  }
}
