package io.holdfast.events.schema;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What JSON Schema says of one value, as far as our schemas use it: types, a closed set of words,
/// members, which of them are required, and elements. Read once, since every sale is held to it.
///
/// @param isPersonal whether it may be shredded; what is required can never be
/// @param words null if any will do
/// @param element null for what is no list
record JsonSchemaNode(
    Set<String> types,
    boolean isPersonal,
    @Nullable Set<?> words,
    Set<String> required,
    Map<String, JsonSchemaNode> members,
    @Nullable JsonSchemaNode element) {

  JsonSchemaNode {
    members.forEach(
        (name, member) -> {
          if (member.isPersonal && required.contains(name)) {
            throw new IllegalArgumentException(name + " is required, so it cannot be personal");
          }
        });
  }

  static JsonSchemaNode of(Map<?, ?> form) {
    var members = new LinkedHashMap<String, JsonSchemaNode>();
    if (form.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach((name, member) -> members.put((String) name, of((Map<?, ?>) member)));
    }
    return new JsonSchemaNode(
        words(form.get("type")),
        Boolean.TRUE.equals(form.get("x-personal")),
        form.get("enum") instanceof List<?> words ? new HashSet<>(words) : null,
        words(form.get("required")),
        members,
        form.get("items") instanceof Map<?, ?> element ? of(element) : null);
  }

  /// The value with null for every optional member that it does not have.
  @Nullable Object completed(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> completed(map);
      case Collection<?> list when element != null ->
          list.stream().map(element::completed).toList();
      case null -> null;
      default -> value;
    };
  }

  Map<String, @Nullable Object> completed(Map<?, ?> map) {
    var whole = LinkedHashMap.<String, @Nullable Object>newLinkedHashMap(members.size());
    members.forEach((name, member) -> whole.put(name, member.completed(map.get(name))));
    map.forEach((name, value) -> whole.putIfAbsent((String) name, value));
    return whole;
  }

  private static Set<String> words(@Nullable Object words) {
    return switch (words) {
      case null -> Set.of();
      case Collection<?> several -> {
        var all = new HashSet<String>();
        several.forEach(word -> all.add((String) word));
        yield Set.copyOf(all);
      }
      default -> Set.of((String) words);
    };
  }
}
