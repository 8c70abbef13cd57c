package io.holdfast.events.schema;

import io.holdfast.events.Event;
import io.holdfast.events.privacy.PersonalValue;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One published version of what an event of a type carries. Readers may rely on it, so an event
/// that does not fit it is never written.
public record Schema(SemVer version, JsonSchemaNode shape) {

  public static Schema of(SemVer version, Map<String, @Nullable Object> form) {
    return new Schema(version, JsonSchemaNode.of(form));
  }

  /// @throws IllegalArgumentException naming the path of what does not fit
  public void refuseUnfit(Map<String, @Nullable Object> data) {
    refuseUnfit(shape, data, "data", false);
    if (!version.toString().equals(data.get(Event.SCHEMA_VERSION))) {
      throw unfit("data." + Event.SCHEMA_VERSION, "has to be " + version);
    }
  }

  /// The data with null for every optional member that they do not have.
  public Map<String, @Nullable Object> completed(Map<String, @Nullable Object> data) {
    return shape.completed((Map<?, ?>) data);
  }

  private static void refuseUnfit(
      JsonSchemaNode shape, @Nullable Object value, String path, boolean isRequired) {
    if (value instanceof PersonalValue(_, var inner)) {
      if (isRequired || !shape.isPersonal()) {
        throw unfit(path, "is required, or not declared as personal, and cannot be shredded");
      }
      refuseUnfit(shape, inner, path, false);
      return;
    }
    if (!shape.types().contains(typeOf(value))) {
      throw unfit(path, "has to be " + String.join(" or ", shape.types()));
    }
    if (shape.words() != null && !shape.words().contains(value)) {
      throw unfit(path, "has to be one of " + shape.words());
    }
    if (value instanceof Map<?, ?> map) {
      refuseUnfitMembers(shape, map, path);
    } else if (value instanceof Collection<?> list) {
      for (var each : list) {
        refuseUnfit(shape.element(), each, path + "[]", true);
      }
    }
  }

  private static void refuseUnfitMembers(JsonSchemaNode shape, Map<?, ?> map, String path) {
    for (var name : shape.required()) {
      if (map.get(name) == null) {
        throw unfit(path + "." + name, "is required");
      }
    }
    for (var entry : map.entrySet()) {
      var name = (String) entry.getKey();
      var member = shape.members().get(name);
      if (member == null) {
        throw unfit(path + "." + name, "is not in the schema");
      }
      refuseUnfit(member, entry.getValue(), path + "." + name, shape.required().contains(name));
    }
  }

  private static String typeOf(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String _, Instant _, Enum<?> _ -> "string";
      case Long _, Integer _ -> "integer";
      case Boolean _ -> "boolean";
      case Map<?, ?> _ -> "object";
      case Collection<?> _ -> "array";
      default -> value.getClass().getSimpleName();
    };
  }

  private static IllegalArgumentException unfit(String path, String rule) {
    return new IllegalArgumentException(path + " " + rule);
  }
}
