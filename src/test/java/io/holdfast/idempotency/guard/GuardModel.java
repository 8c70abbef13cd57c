package io.holdfast.idempotency.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The bounded model of 001: one identity, a window of two ticks, a clock of three. It visits every
/// reachable state, nearest first, until one violates the invariant. The step of a record is a
/// parameter, so that a wrong one can be tried as well.
final class GuardModel {
  static final Duration WINDOW = Duration.ofMillis(2);
  static final int CLOCK_MAX = 3;

  /// Like `GuardWindow.afterRecord`.
  interface RecordStep {
    Instant moment(Instant recordedAt, Instant now, Duration window);
  }

  /// @param firstRecordedAt a ghost: when the guard began that stands at `now`
  record State(int now, boolean everRecorded, int recordedAt, int firstRecordedAt) {

    boolean isSeen() {
      return everRecorded && GuardWindow.check(at(recordedAt), at(now), WINDOW) == GuardResult.SEEN;
    }

    boolean isSingleRecorded() {
      return !isSeen() || recordedAt == firstRecordedAt;
    }
  }

  /// @param violation null if there is none
  record Verdict(Set<State> states, State violation) {}

  private GuardModel() {}

  static Verdict explore(RecordStep step) {
    var first = new State(0, false, 0, 0);
    var states = new LinkedHashSet<>(List.of(first));
    var due = new ArrayDeque<>(List.of(first));
    while (!due.isEmpty()) {
      for (var next : successors(due.remove(), step).toList()) {
        if (states.add(next)) {
          if (!next.isSingleRecorded()) {
            return new Verdict(states, next);
          }
          due.add(next);
        }
      }
    }
    return new Verdict(states, null);
  }

  private static Stream<State> successors(State state, RecordStep step) {
    return Stream.concat(
        state.now < CLOCK_MAX
            ? Stream.of(
                new State(
                    state.now + 1, state.everRecorded, state.recordedAt, state.firstRecordedAt))
            : Stream.empty(),
        Stream.of(recorded(state, step)));
  }

  private static State recorded(State state, RecordStep step) {
    var before = state.everRecorded ? at(state.recordedAt) : null;
    var moment = (int) step.moment(before, at(state.now), WINDOW).toEpochMilli();
    return new State(state.now, true, moment, state.isSeen() ? state.firstRecordedAt : state.now);
  }

  static Instant at(int tick) {
    return Instant.ofEpochMilli(tick);
  }
}
