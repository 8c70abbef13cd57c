package io.holdfast.events;

import io.holdfast.events.privacy.PersonalValue;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Unmodifiable deep copies of event data.
public final class DeepCopy {
  /// Deeper data are a mistake or contain a cycle.
  public static final int DEPTH_MAX = 20;

  private DeepCopy() {}

  public static Map<String, @Nullable Object> of(Map<String, ? extends @Nullable Object> data) {
    return map(data, 1);
  }

  static @Nullable Object ofValue(@Nullable Object value) {
    return value(value, 1);
  }

  public static void checkDepth(int depth) {
    if (depth > DEPTH_MAX) {
      throw new IllegalArgumentException(
          "event data are nested at most " + DEPTH_MAX + " levels deep");
    }
  }

  private static Map<String, @Nullable Object> map(Map<?, ?> map, int depth) {
    checkDepth(depth);
    var copy = LinkedHashMap.<String, @Nullable Object>newLinkedHashMap(map.size());
    map.forEach((name, value) -> copy.put((String) name, value(value, depth + 1)));
    return Collections.unmodifiableMap(copy);
  }

  private static @Nullable Object value(@Nullable Object value, int depth) {
    return switch (value) {
      case Map<?, ?> map -> map(map, depth);
      case Collection<?> list -> {
        checkDepth(depth);
        yield Collections.unmodifiableList(
            list.stream().map(each -> value(each, depth + 1)).toList());
      }
      case PersonalValue(var person, var inner) -> new PersonalValue(person, value(inner, depth));
      case null -> null;
      default -> value;
    };
  }
}
