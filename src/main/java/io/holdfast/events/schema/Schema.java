package io.holdfast.events.schema;

import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import io.holdfast.events.privacy.PersonalValue;
import io.holdfast.web.JsonBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One published version of the schema of an event type. An event that does not fit its schema is
/// never written. Older versions stay published, because stored events follow them.
public record Schema(SemVer version, JsonSchemaNode root) {
  /// The types whose newest version is not the first.
  private static final Map<EventType, SemVer> NEWEST =
      Map.of(
          EventType.HOLD_PLACED, SemVer.parse("1.2.0"),
          EventType.HOLD_RELEASED, SemVer.parse("1.2.0"),
          EventType.HOLD_EXPIRED, SemVer.parse("1.2.0"),
          EventType.HOLD_CONFIRMED, SemVer.parse("1.2.0"),
          EventType.CHECKOUT_FULFILLED, SemVer.parse("1.1.0"),
          EventType.CHECKOUT_COMPENSATED, SemVer.parse("1.1.0"),
          EventType.CHECKOUT_STUCK, SemVer.parse("1.1.0"),
          EventType.COMMITMENT_VOIDED, SemVer.parse("1.1.0"));

  private static final Map<EventType, Schema> CURRENT = new EnumMap<>(EventType.class);

  static {
    for (var type : EventType.values()) {
      var version = NEWEST.getOrDefault(type, SemVer.FIRST);
      CURRENT.put(type, find(type, version).orElseThrow());
    }
  }

  /// The newest version.
  public static Schema current(EventType type) {
    return CURRENT.get(type);
  }

  static Optional<Schema> find(EventType type, SemVer version) {
    return text(type, version).map(text -> Schema.of(version, JsonBody.read(text)));
  }

  /// The published JSON Schema document.
  public static Optional<byte[]> text(EventType type, SemVer version) {
    var name = "/event-schemas/" + type.word() + "/" + version + ".json";
    try (var in = Schema.class.getResourceAsStream(name)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Schema of(SemVer version, Map<String, @Nullable Object> json) {
    return new Schema(version, JsonSchemaNode.of(json));
  }

  /// @throws IllegalArgumentException naming the path of the value that does not fit
  public void validate(Map<String, @Nullable Object> data) {
    validate(root, data, "data", false);
    if (!version.toString().equals(data.get(Event.SCHEMA_VERSION))) {
      throw invalid("data." + Event.SCHEMA_VERSION, "must be " + version);
    }
  }

  /// Returns the data with null for every missing optional member.
  public Map<String, @Nullable Object> complete(Map<String, @Nullable Object> data) {
    return root.complete((Map<?, ?>) data);
  }

  private static void validate(
      JsonSchemaNode node, @Nullable Object value, String path, boolean isRequired) {
    if (value instanceof PersonalValue(_, var inner)) {
      if (isRequired || !node.isPersonal()) {
        throw invalid(path, "is required, or not declared as personal, and cannot be shredded");
      }
      validate(node, inner, path, false);
      return;
    }
    if (!node.types().contains(typeOf(value))) {
      throw invalid(path, "must be " + String.join(" or ", node.types()));
    }
    if (node.allowed() != null && !node.allowed().contains(value)) {
      throw invalid(path, "must be one of " + node.allowed());
    }
    if (value instanceof Map<?, ?> map) {
      validateMembers(node, map, path);
    } else if (value instanceof Collection<?> list) {
      for (var element : list) {
        validate(node.element(), element, path + "[]", true);
      }
    }
  }

  private static void validateMembers(JsonSchemaNode node, Map<?, ?> map, String path) {
    for (var name : node.required()) {
      if (map.get(name) == null) {
        throw invalid(path + "." + name, "is required");
      }
    }
    for (var entry : map.entrySet()) {
      var name = (String) entry.getKey();
      var member = node.member(name);
      if (member == null) {
        throw invalid(path + "." + name, "is not in the schema");
      }
      validate(member, entry.getValue(), path + "." + name, node.required().contains(name));
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

  private static IllegalArgumentException invalid(String path, String rule) {
    return new IllegalArgumentException(path + " " + rule);
  }
}
