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

/// Walks through the data of an event and puts something else in the place of each part that one
/// name marks, and nowhere else. Bounded in depth.
public final class PersonalFieldWalker {

  /// What to put in the place of a part.
  public interface Replacement {
    /// @param path such as `payload.customer.email`
    @Nullable Object of(Map<?, ?> part, String path);
  }

  private PersonalFieldWalker() {}

  public static Map<String, @Nullable Object> replace(
      Map<?, ?> data, String mark, Replacement replacement) {
    return map(data, "", 1, new Marked(mark, replacement));
  }

  /// Looks at all that one name marks, and copies nothing.
  static void each(@Nullable Object value, String mark, Consumer<Map<?, ?>> look) {
    each(value, mark, look, 1);
  }

  private static void each(
      @Nullable Object value, String mark, Consumer<Map<?, ?>> look, int depth) {
    DeepCopy.refuseDeeper(depth);
    switch (value) {
      case Map<?, ?> part when part.containsKey(mark) -> look.accept(part);
      case Map<?, ?> map -> map.values().forEach(inner -> each(inner, mark, look, depth + 1));
      case PersonalValue personal -> each(EventJson.marked(personal), mark, look, depth);
      case Collection<?> list -> list.forEach(inner -> each(inner, mark, look, depth + 1));
      case null, default -> {}
    }
  }

  private record Marked(String mark, Replacement replacement) {}

  private static Map<String, @Nullable Object> map(
      Map<?, ?> map, String path, int depth, Marked marked) {
    DeepCopy.refuseDeeper(depth);
    var copy = new LinkedHashMap<String, @Nullable Object>();
    map.forEach(
        (name, value) -> {
          var at = path.isEmpty() ? (String) name : path + "." + name;
          copy.put((String) name, value(value, at, depth + 1, marked));
        });
    return Collections.unmodifiableMap(copy);
  }

  private static @Nullable Object value(
      @Nullable Object value, String path, int depth, Marked marked) {
    return switch (value) {
      case Map<?, ?> part when part.containsKey(marked.mark) -> marked.replacement.of(part, path);
      case Map<?, ?> map -> map(map, path, depth, marked);
      case PersonalValue personal -> value(EventJson.marked(personal), path, depth, marked);
      case Collection<?> list -> elements(List.copyOf(list), path, depth, marked);
      case null -> null;
      default -> value;
    };
  }

  private static List<@Nullable Object> elements(
      List<?> list, String path, int depth, Marked marked) {
    DeepCopy.refuseDeeper(depth);
    var copy = new ArrayList<@Nullable Object>();
    for (var i = 0; i < list.size(); i++) {
      copy.add(value(list.get(i), path + "[" + i + "]", depth + 1, marked));
    }
    return Collections.unmodifiableList(copy);
  }
}
