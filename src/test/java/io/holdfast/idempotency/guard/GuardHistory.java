package io.holdfast.idempotency.guard;

import io.holdfast.testing.Together;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The calls of several concurrent callers of one guard with their results, each with its own clock
/// as on different instances. A history is linearizable if its calls have an order that respects
/// real time and explains every result.
record GuardHistory(List<Call> calls) {
  private static final Duration WINDOW = Duration.ofMillis(2);
  private static final int CALLERS = 3;
  private static final int CALLS_EACH = 3;

  /// @param told null for a record
  record Call(long began, long ended, Instant now, @Nullable GuardResult told) {}

  static GuardHistory of(GuardStore store, int seed) {
    var rules = GuardRules.of(GuardStores.aName(), WINDOW);
    var lists = Together.run(CALLERS, i -> calls(store, rules, new Random(10L * seed + i)));
    return new GuardHistory(lists.stream().flatMap(List::stream).toList());
  }

  boolean isLinearizable() {
    return isLinearizable(new ArrayList<>(calls), null);
  }

  private static List<Call> calls(GuardStore store, GuardRules rules, Random random) {
    var clock = new MovedClock();
    var guard = new DuplicateGuard(rules.lazy(), store, clock);
    return IntStream.range(0, CALLS_EACH)
        .mapToObj(
            _ -> {
              clock.move(Duration.ofMillis(random.nextInt(3)));
              var began = System.nanoTime();
              var told = random.nextBoolean() ? record(guard) : guard.check("it");
              return new Call(began, System.nanoTime(), clock.instant(), told);
            })
        .toList();
  }

  private static @Nullable GuardResult record(DuplicateGuard guard) {
    guard.record("it");
    return null;
  }

  private static boolean isLinearizable(List<Call> left, @Nullable Instant recordedAt) {
    if (left.isEmpty()) {
      return true;
    }
    var firstEnd = left.stream().mapToLong(Call::ended).min().getAsLong();
    for (var call : List.copyOf(left)) {
      var isRight =
          call.told == null || call.told == GuardWindow.check(recordedAt, call.now, WINDOW);
      if (call.began <= firstEnd && isRight) {
        var rest = new ArrayList<>(left);
        rest.remove(call);
        var after =
            call.told == null ? GuardWindow.afterRecord(recordedAt, call.now, WINDOW) : recordedAt;
        if (isLinearizable(rest, after)) {
          return true;
        }
      }
    }
    return false;
  }
}
