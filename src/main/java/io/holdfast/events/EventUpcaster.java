package io.holdfast.events;

import io.holdfast.events.schema.SemVer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Brings the data of old events to the present schema of their type, step by step, when they are
/// read; what is stored stays as it was published.
public final class EventUpcaster {
  /// One for every version that is no longer the newest.
  private static final List<Step> STEPS = List.of();

  private static final EventUpcaster SHIPPED = new EventUpcaster(STEPS);

  private final Map<From, Step> steps = new LinkedHashMap<>();

  public EventUpcaster(List<Step> steps) {
    for (var step : steps) {
      if (step.to.compareTo(step.from) <= 0) {
        throw new IllegalArgumentException("a step leads to a newer version, not to " + step.to);
      }
      this.steps.put(new From(step.type, step.from), step);
    }
  }

  /// @param change of the data; the version is set by whoever runs the step
  public record Step(
      EventType type,
      SemVer from,
      SemVer to,
      UnaryOperator<Map<String, @Nullable Object>> change) {}

  private record From(EventType type, SemVer version) {}

  static Map<String, @Nullable Object> toPresent(
      EventType type, Map<String, @Nullable Object> data) {
    return SHIPPED.migrateEvent(type, data, type.schema().version());
  }

  /// Data that do not say their version have the first one.
  ///
  /// @throws IllegalArgumentException if no steps lead there
  public Map<String, @Nullable Object> migrateEvent(
      EventType type, Map<String, @Nullable Object> data, SemVer target) {
    var first = version(data);
    var current = data;
    for (var version = first; !version.equals(target); version = version(current)) {
      var step = steps.get(new From(type, version));
      if (step == null || step.to.compareTo(target) > 0) {
        throw new IllegalArgumentException(
            "No migration path from %s to %s of %s".formatted(first, target, type.word()));
      }
      var changed = new LinkedHashMap<>(step.change.apply(current));
      changed.put(Event.SCHEMA_VERSION, step.to.toString());
      current = changed;
    }
    return current;
  }

  private static SemVer version(Map<String, @Nullable Object> data) {
    return data.get(Event.SCHEMA_VERSION) instanceof String text
        ? SemVer.parse(text)
        : SemVer.FIRST;
  }
}
