package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.StepOutcome.Done;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A hotel, an airline and a bank with their own books. A second call with the same id has no
/// second effect, and cancelling an unknown booking is no error.
final class Trip {
  final Set<String> booked = new HashSet<>();
  final List<String> calls = new ArrayList<>();
  private final Map<String, Supplier<@Nullable StepOutcome>> acts = new HashMap<>();
  private final Map<String, Supplier<@Nullable StepOutcome>> undos = new HashMap<>();
  private final Set<String> seen = new HashSet<>();

  Saga saga() {
    return new Saga("trip", List.of(step("hotel"), step("flight"), step("payment")));
  }

  Step step(String name) {
    return new Booking(name, true);
  }

  Step irrevocable(String name) {
    return new Booking(name, false);
  }

  /// @param how null for: as usual
  void act(String name, Supplier<@Nullable StepOutcome> how) {
    acts.put(name, how);
  }

  void undo(String name, Supplier<@Nullable StepOutcome> how) {
    undos.put(name, how);
  }

  private final class Booking implements Step {
    private final String name;
    private final boolean canBeUndone;

    Booking(String name, boolean canBeUndone) {
      this.name = name;
      this.canBeUndone = canBeUndone;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String reached() {
      return "BOOKED_" + name;
    }

    @Override
    public boolean canBeUndone() {
      return canBeUndone;
    }

    @Override
    public StepOutcome act(CheckoutRun run, String callId) {
      calls.add("book " + name);
      var otherwise = acts.getOrDefault(name, () -> null).get();
      if (otherwise != null) {
        return otherwise;
      }
      if (seen.add(callId)) {
        booked.add(name);
      }
      return new Done("booked");
    }

    @Override
    public StepOutcome undo(CheckoutRun run, String undoId) {
      calls.add("cancel " + name);
      var otherwise = undos.getOrDefault(name, () -> null).get();
      if (otherwise != null) {
        return otherwise;
      }
      if (!booked.remove(name)) {
        return new Done("already cancelled");
      }
      return new Done("cancelled");
    }
  }
}
