package io.holdfast.events.privacy;

import io.holdfast.events.DeepCopy;
import io.holdfast.events.EventJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Walks event data and replaces each object that contains a marker member. The depth is bounded.
public final class PersonalFieldWalker {

  /// Computes the replacement of one marked object.
  public interface Replacement {
    /// @param path such as `payload.customer.email`
    @Nullable Object of(Map<?, ?> part, String path);
  }

  private PersonalFieldWalker() {}

  public static Map<String, @Nullable Object> replace(
      Map<?, ?> data, String mark, Replacement replacement) {
    return copyMap(data, "", 1, new Rule(mark, replacement));
  }

  /// Visits each marked object without copying.
  static void each(@Nullable Object value, String mark, Consumer<Map<?, ?>> visitor) {
    each(value, mark, visitor, 1);
  }

  private static void each(
      @Nullable Object value, String mark, Consumer<Map<?, ?>> visitor, int depth) {
    DeepCopy.checkDepth(depth);
    switch (value) {
      case Map<?, ?> part when part.containsKey(mark) -> visitor.accept(part);
      case Map<?, ?> map -> map.values().forEach(inner -> each(inner, mark, visitor, depth + 1));
      case PersonalValue personal -> each(EventJson.markedObject(personal), mark, visitor, depth);
      case Collection<?> list -> list.forEach(inner -> each(inner, mark, visitor, depth + 1));
      case null, default -> {}
    }
  }

  private record Rule(String mark, Replacement replacement) {}

  private static Map<String, @Nullable Object> copyMap(
      Map<?, ?> map, String path, int depth, Rule rule) {
    DeepCopy.checkDepth(depth);
    var copy = new LinkedHashMap<String, @Nullable Object>();
    map.forEach(
        (name, value) -> {
          var memberPath = path.isEmpty() ? (String) name : path + "." + name;
          copy.put((String) name, copyValue(value, memberPath, depth + 1, rule));
        });
    return Collections.unmodifiableMap(copy);
  }

  private static @Nullable Object copyValue(
      @Nullable Object value, String path, int depth, Rule rule) {
    return switch (value) {
      case Map<?, ?> part when part.containsKey(rule.mark) -> rule.replacement.of(part, path);
      case Map<?, ?> map -> copyMap(map, path, depth, rule);
      case PersonalValue personal -> copyValue(EventJson.markedObject(personal), path, depth, rule);
      case Collection<?> list -> copyElements(List.copyOf(list), path, depth, rule);
      case null -> null;
      default -> value;
    };
  }

  private static List<@Nullable Object> copyElements(
      List<?> list, String path, int depth, Rule rule) {
    DeepCopy.checkDepth(depth);
    var copy = new ArrayList<@Nullable Object>();
    for (var i = 0; i < list.size(); i++) {
      copy.add(copyValue(list.get(i), path + "[" + i + "]", depth + 1, rule));
    }
    return Collections.unmodifiableList(copy);
  }
}
