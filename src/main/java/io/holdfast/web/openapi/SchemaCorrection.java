package io.holdfast.web.openapi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Corrects what the generator says of schemas. It describes a nullable reference as null and the
/// reference at once, allows any object for a nullable value, knows no type of a text that is given
/// by an annotation, and takes bytes that are written as they are for Base64.
final class SchemaCorrection {
  private static final String NULL = "null";

  private SchemaCorrection() {}

  static void correct(@Nullable Object node) {
    switch (node) {
      case Map<?, ?> map -> {
        var object = Node.of(map);
        correctNull(object);
        correctBytes(object);
        List.copyOf(object.values()).forEach(SchemaCorrection::correct);
      }
      case List<?> list -> list.forEach(SchemaCorrection::correct);
      case null, default -> {}
    }
  }

  /// A parameter is a text unless it says otherwise. If it is optional, it may be left out and is
  /// not null.
  static void correctParameter(Map<String, Object> parameter) {
    var schema = Node.in(parameter, "schema");
    if (schema.get("type") instanceof List<?> types) {
      var kinds = types.stream().filter(type -> !NULL.equals(type)).toList();
      schema.put("type", kinds.isEmpty() ? "string" : kinds.getFirst());
    } else if (schema.isEmpty()) {
      schema.put("type", "string");
    }
    parameter.remove("explode");
  }

  private static void correctNull(Map<String, Object> schema) {
    if (NULL.equals(schema.get("type")) && schema.get("allOf") instanceof List<?> references) {
      schema.remove("type");
      schema.remove("allOf");
      var choices = new ArrayList<Object>(references);
      choices.add(Map.of("type", NULL));
      schema.put("anyOf", choices);
    }
    if (schema.get("type") instanceof List<?> types
        && types.contains(NULL)
        && types.size() > 2
        && types.contains("object")) {
      schema.put("type", types.stream().filter(type -> !"object".equals(type)).toList());
    }
  }

  private static void correctBytes(Map<String, Object> schema) {
    if ("string".equals(schema.get("type")) && "byte".equals(schema.get("format"))) {
      schema.remove("format");
    }
  }
}
