package io.holdfast.waiting;

import io.holdfast.waiting.TicketView.State;
import java.time.Duration;

/// When the ticket of one listener is looked at next: a moment after its pool has changed, and
/// otherwise in time for its sign of life. A ticket that has ended is not looked at again.
///
/// Times are those of `System.nanoTime`. One thread at a time uses a schedule.
final class LookSchedule {
  /// The shortest time between two looks at a ticket among the first of its queue.
  static final Duration PAUSE_AT_FRONT = Duration.ofMillis(500);

  /// The same for all other tickets.
  static final Duration PAUSE_BEHIND = Duration.ofSeconds(3);

  static final int FRONT = 100;

  /// The pause before a look that failed is repeated. It doubles with each further failure.
  static final Duration RETRY_MIN = Duration.ofMillis(250);

  static final Duration RETRY_MAX = Duration.ofSeconds(2);

  /// A look in the first third of the grace writes no sign of life, so a ticket goes without one
  /// for at most a third and a quarter.
  private static final int LOOKS_PER_GRACE = 4;

  /// No state of a pool. A first look did not read any.
  private static final String NONE = "";

  private final long lifeNanos;
  private String state = NONE;
  private long shownAt;
  private long notBefore;
  private long retryNanos;
  private boolean hasEnded;

  LookSchedule(Duration grace, TicketView view, long now) {
    this.lifeNanos = grace.toNanos() / LOOKS_PER_GRACE;
    shown(view, NONE, now);
  }

  /// @param poolState differs from that of an earlier call if a ticket may have changed
  boolean isDue(String poolState, long now) {
    var isWanted = !poolState.equals(state) || now - shownAt >= lifeNanos;
    return !hasEnded && isWanted && now - notBefore >= 0;
  }

  /// When the ticket was looked at last.
  long shownAt() {
    return shownAt;
  }

  /// A look begins. Until one has succeeded, the ticket stays due.
  void begin(long now) {
    retryNanos = Math.clamp(2 * retryNanos, RETRY_MIN.toNanos(), RETRY_MAX.toNanos());
    notBefore = now + Math.min(retryNanos, Math.max(lifeNanos, RETRY_MIN.toNanos()));
  }

  /// The look has succeeded.
  ///
  /// @param poolState what was read before the look
  /// @param now when the look began
  void shown(TicketView view, String poolState, long now) {
    state = poolState;
    shownAt = now;
    notBefore = now + Math.min(pause(view).toNanos(), lifeNanos);
    retryNanos = 0;
    hasEnded = view.state() == State.LEFT || view.state() == State.EXPIRED;
  }

  private static Duration pause(TicketView view) {
    var position = view.position();
    return position != null && position <= FRONT ? PAUSE_AT_FRONT : PAUSE_BEHIND;
  }
}
