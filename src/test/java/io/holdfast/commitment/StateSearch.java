package io.holdfast.commitment;

import io.holdfast.commitment.ModelState.Cell;
import io.holdfast.commitment.sale.ModelRules;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Visits every reachable state in breadth-first order, so that it reports the fewest steps to a
/// violation.
final class StateSearch {
  /// Beyond this the bounds were chosen badly.
  private static final int STATES_MAX = 3_000_000;

  private final ModelSteps protocol;
  private final Map<ModelState, Integer> numbers = new HashMap<>();
  private final List<ModelState> states = new ArrayList<>();
  private final Ints parents = new Ints();
  private final List<String> steps = new ArrayList<>();
  private final Ints edgesFrom = new Ints();
  private final Ints edgesTo = new Ints();

  StateSearch(ModelRules rules) {
    this.protocol = new ModelSteps(rules);
  }

  /// How often each event may happen; an event that is not named does not happen.
  record Bounds(int pins, int releases, int losses, int keyLosses, int voids, int copies) {

    ModelState beginning() {
      return new ModelState()
          .set(Cell.OPEN, 1)
          .set(Cell.REDIS_EPOCH, 1)
          .set(Cell.EPOCH, 1)
          .set(Cell.PINS_LEFT, pins)
          .set(Cell.RELEASES_LEFT, releases)
          .set(Cell.LOSSES_LEFT, losses)
          .set(Cell.KEY_LOSSES_LEFT, keyLosses)
          .set(Cell.VOIDS_LEFT, voids)
          .set(Cell.COPIES_LEFT, copies);
    }
  }

  /// @param broken what was broken and by which steps; empty if nothing was
  record Result(int states, String broken) {}

  Result run(Bounds bounds) {
    reach(bounds.beginning(), -1, "");
    for (var current = 0; current < states.size(); current++) {
      var number = current;
      var world = states.get(number);
      try {
        ModelSteps.check(world);
        protocol.follow(
            world,
            (step, byItself, next) -> {
              var reached = reach(next, number, step);
              if (byItself) {
                edgesFrom.add(number);
                edgesTo.add(reached);
              }
            });
      } catch (InvariantViolation e) {
        return new Result(states.size(), e.getMessage() + trace(number));
      }
    }
    return new Result(states.size(), stuck());
  }

  private int reach(ModelState world, int from, String step) {
    var known = numbers.putIfAbsent(world, states.size());
    if (known != null) {
      return known;
    }
    if (states.size() == STATES_MAX) {
      throw new IllegalStateException("more than %,d states".formatted(STATES_MAX));
    }
    states.add(world);
    parents.add(from);
    steps.add(step.intern());
    return states.size() - 1;
  }

  /// From every state the end must be reachable without any client's help.
  private String stuck() {
    var incoming = new int[states.size() + 1];
    for (var i = 0; i < edgesTo.size(); i++) {
      incoming[edgesTo.get(i) + 1]++;
    }
    for (var i = 0; i < states.size(); i++) {
      incoming[i + 1] += incoming[i];
    }
    var sources = new int[edgesTo.size()];
    var next = incoming.clone();
    for (var i = 0; i < edgesTo.size(); i++) {
      sources[next[edgesTo.get(i)]++] = edgesFrom.get(i);
    }
    var good = new BitSet(states.size());
    var queue = new ArrayDeque<Integer>();
    for (var i = 0; i < states.size(); i++) {
      if (ModelSteps.isOver(states.get(i))) {
        good.set(i);
        queue.add(i);
      }
    }
    while (!queue.isEmpty()) {
      var at = queue.poll();
      for (var i = incoming[at]; i < incoming[at + 1]; i++) {
        if (!good.get(sources[i])) {
          good.set(sources[i]);
          queue.add(sources[i]);
        }
      }
    }
    var bad = good.nextClearBit(0);
    return bad < states.size() ? "nothing can ever end the holds" + trace(bad) : "";
  }

  private String trace(int state) {
    var trace = new ArrayList<String>();
    for (var at = state; at > 0; at = parents.get(at)) {
      trace.add(steps.get(at));
    }
    Collections.reverse(trace);
    return ", after: " + String.join(", ", trace);
  }

  /// Numbers without a box around each.
  private static final class Ints {
    private int[] values = new int[1 << 16];
    private int size;

    void add(int value) {
      if (size == values.length) {
        values = java.util.Arrays.copyOf(values, 2 * size);
      }
      values[size++] = value;
    }

    int get(int index) {
      return values[index];
    }

    int size() {
      return size;
    }
  }
}
