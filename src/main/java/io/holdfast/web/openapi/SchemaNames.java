package io.holdfast.web.openapi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Renames schemas that the generator has named after nested classes: `TicketView.State` becomes
/// `TicketViewState`. If there is a schema of the inner name, it is the same one.
final class SchemaNames {
  private static final String REFERENCE = "$ref";
  private static final String PREFIX = "#/components/schemas/";

  private final Map<String, Object> schemas;

  private SchemaNames(Map<String, Object> schemas) {
    this.schemas = schemas;
  }

  static void simplify(Map<String, Object> document) {
    var schemas = Node.in(Node.in(document, "components"), "schemas");
    new SchemaNames(schemas).rename(document);
    var renamed = new LinkedHashMap<String, Object>();
    schemas.forEach((name, schema) -> renamed.putIfAbsent(simple(name, schemas), schema));
    schemas.clear();
    schemas.putAll(renamed);
  }

  private void rename(@Nullable Object node) {
    switch (node) {
      case Map<?, ?> map -> {
        var object = Node.of(map);
        if (object.get(REFERENCE) instanceof String target && target.startsWith(PREFIX)) {
          object.put(REFERENCE, PREFIX + simple(target.substring(PREFIX.length()), schemas));
        }
        object.values().forEach(this::rename);
      }
      case List<?> list -> list.forEach(this::rename);
      case null, default -> {}
    }
  }

  private static String simple(String name, Map<String, Object> schemas) {
    var inner = name.substring(name.lastIndexOf('.') + 1);
    return schemas.containsKey(inner) ? inner : name.replace(".", "");
  }
}
