package io.holdfast.events.schema;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One node of a JSON Schema, with the keywords that our schemas use: `type`, `enum`, `properties`,
/// `required`, `additionalProperties`, `items` and `x-personal`. Parsed once, because every event
/// is validated.
///
/// @param isPersonal whether the value may be shredded; a required value may not
/// @param allowed the `enum`; null if any value is allowed
/// @param other the schema of members without a name of their own; null if there may be none
/// @param element the schema of list elements; null if the value is not a list
record JsonSchemaNode(
    Set<String> types,
    boolean isPersonal,
    @Nullable Set<?> allowed,
    Set<String> required,
    Map<String, JsonSchemaNode> members,
    @Nullable JsonSchemaNode other,
    @Nullable JsonSchemaNode element) {

  JsonSchemaNode {
    members.forEach(
        (name, member) -> {
          if (member.isPersonal && required.contains(name)) {
            throw new IllegalArgumentException(name + " is required, so it cannot be personal");
          }
        });
  }

  static JsonSchemaNode of(Map<?, ?> json) {
    var members = new LinkedHashMap<String, JsonSchemaNode>();
    if (json.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach((name, member) -> members.put((String) name, of((Map<?, ?>) member)));
    }
    return new JsonSchemaNode(
        strings(json.get("type")),
        Boolean.TRUE.equals(json.get("x-personal")),
        json.get("enum") instanceof List<?> values ? new HashSet<>(values) : null,
        strings(json.get("required")),
        members,
        child(json, "additionalProperties"),
        child(json, "items"));
  }

  private static @Nullable JsonSchemaNode child(Map<?, ?> json, String keyword) {
    return json.get(keyword) instanceof Map<?, ?> schema ? of(schema) : null;
  }

  /// The schema of a member; null if there may be no such member.
  @Nullable JsonSchemaNode member(String name) {
    return members.getOrDefault(name, other);
  }

  /// Returns the value with null for every missing optional member.
  @Nullable Object complete(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> complete(map);
      case Collection<?> list when element != null -> list.stream().map(element::complete).toList();
      case null -> null;
      default -> value;
    };
  }

  Map<String, @Nullable Object> complete(Map<?, ?> map) {
    var result = LinkedHashMap.<String, @Nullable Object>newLinkedHashMap(members.size());
    members.forEach((name, member) -> result.put(name, member.complete(map.get(name))));
    map.forEach((name, value) -> result.putIfAbsent((String) name, value));
    return result;
  }

  private static Set<String> strings(@Nullable Object value) {
    return switch (value) {
      case null -> Set.of();
      case Collection<?> several -> {
        var all = new HashSet<String>();
        several.forEach(each -> all.add((String) each));
        yield Set.copyOf(all);
      }
      default -> Set.of((String) value);
    };
  }
}
