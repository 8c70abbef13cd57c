package io.holdfast.events.schema;

import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Converts the data of old events to the current schema of their type when they are read, one
/// version at a time. Stored events are not changed.
public final class EventUpcaster {
  /// One step for every version that is not the newest.
  private static final List<Step> STEPS =
      Stream.concat(
              Stream.of(
                      EventType.HOLD_PLACED,
                      EventType.HOLD_RELEASED,
                      EventType.HOLD_EXPIRED,
                      EventType.HOLD_CONFIRMED)
                  .flatMap(EventUpcaster::ofHold),
              Stream.of(
                      EventType.CHECKOUT_FULFILLED,
                      EventType.CHECKOUT_COMPENSATED,
                      EventType.CHECKOUT_STUCK,
                      EventType.COMMITMENT_VOIDED)
                  .map(type -> optionalMember(type, SemVer.FIRST, "1.1.0")))
          .toList();

  /// Version 1.1.0 has the quantity of a hold, and 1.2.0 its metadata. Earlier holds had neither.
  private static Stream<Step> ofHold(EventType type) {
    return Stream.of(
        optionalMember(type, SemVer.FIRST, "1.1.0"),
        optionalMember(type, SemVer.parse("1.1.0"), "1.2.0"));
  }

  /// A version that only adds an optional member.
  private static Step optionalMember(EventType type, SemVer from, String to) {
    return new Step(type, from, SemVer.parse(to), UnaryOperator.identity());
  }

  private static final EventUpcaster SHIPPED = new EventUpcaster(STEPS);

  private final Map<From, Step> steps = new LinkedHashMap<>();

  public EventUpcaster(List<Step> steps) {
    for (var step : steps) {
      if (step.to.compareTo(step.from) <= 0) {
        throw new IllegalArgumentException(
            "a step must lead to a newer version, not to " + step.to);
      }
      this.steps.put(new From(step.type, step.from), step);
    }
  }

  /// @param change converts the data; `migrateEvent` sets the version
  public record Step(
      EventType type,
      SemVer from,
      SemVer to,
      UnaryOperator<Map<String, @Nullable Object>> change) {}

  private record From(EventType type, SemVer version) {}

  public static Map<String, @Nullable Object> toCurrent(
      EventType type, Map<String, @Nullable Object> data) {
    return SHIPPED.migrateEvent(type, data, type.schema().version());
  }

  /// Data without a version have the first one.
  ///
  /// @throws IllegalArgumentException if no steps lead to the target
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
