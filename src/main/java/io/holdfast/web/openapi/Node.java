package io.holdfast.web.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Objects and lists of a document that was read as maps and lists.
final class Node {
  private Node() {}

  @SuppressWarnings("unchecked") // JSON has no other keys
  static Map<String, Object> of(@Nullable Object value) {
    return (Map<String, Object>) value;
  }

  /// The object under this name, made if it is not there.
  static Map<String, Object> in(Map<String, Object> parent, String name) {
    return of(parent.computeIfAbsent(name, _ -> new LinkedHashMap<String, Object>()));
  }

  /// The list under this name, made if it is not there.
  @SuppressWarnings("unchecked") // a list of JSON values
  static List<Object> list(Map<String, Object> parent, String name) {
    return (List<Object>) parent.computeIfAbsent(name, _ -> new ArrayList<Object>());
  }

  static Map<String, Object> reference(String kind, String name) {
    return Map.of("$ref", "#/components/" + kind + "/" + name);
  }
}
