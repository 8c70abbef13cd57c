package io.holdfast.idempotency.guard;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Walks every path of the bounded model, up to six steps, on a store. After each step the store
/// must agree with the model, and the time of a seen identity must be that of its first record.
final class ModelWalk {
  private static final int STEPS_MAX = 6;
  private static final String IDENTITY = "it";

  private ModelWalk() {}

  /// Returns a line for each way on which the store and the model part.
  static List<String> through(GuardStore store) {
    var breaches = new ArrayList<String>();
    for (var way : ways("")) {
      var breach = walk(store, way);
      if (breach != null) {
        breaches.add(breach);
      }
    }
    return breaches;
  }

  /// The longest ways only, since they lead through all others. T is a tick, R a record.
  private static List<String> ways(String begun) {
    if (begun.length() == STEPS_MAX) {
      return List.of(begun);
    }
    var ways = new ArrayList<>(ways(begun + "R"));
    if (begun.chars().filter(c -> c == 'T').count() < GuardModel.CLOCK_MAX) {
      ways.addAll(ways(begun + "T"));
    }
    return ways;
  }

  private static @Nullable String walk(GuardStore store, String way) {
    var rules = GuardRules.of(GuardStores.aName(), GuardModel.WINDOW);
    var clock = new MovedClock();
    var guard = new DuplicateGuard(rules, store, clock);
    Instant began = null;
    for (var i = 0; i < way.length(); i++) {
      if (way.charAt(i) == 'T') {
        clock.move(GuardModel.WINDOW.dividedBy(2));
      } else {
        guard.record(IDENTITY);
        began = GuardWindow.afterRecord(began, clock.instant(), GuardModel.WINDOW);
      }
      var expected = GuardWindow.check(began, clock.instant(), GuardModel.WINDOW);
      var seen = guard.check(IDENTITY);
      var listed = guard.underGuard(0, 2).stream().map(GuardEntry::recordedAt).toList();
      var due = expected == GuardResult.SEEN ? List.of(began) : List.<Instant>of();
      if (seen != expected || !listed.equals(due)) {
        return "%s, step %d: %s %s instead of %s %s".formatted(way, i, seen, listed, expected, due);
      }
    }
    return null;
  }
}
