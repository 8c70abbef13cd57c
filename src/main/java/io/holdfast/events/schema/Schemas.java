package io.holdfast.events.schema;

import io.holdfast.events.EventType;
import io.holdfast.web.JsonBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// The published schemas. A type names its newest version here; older ones stay readable for ever,
/// since events that follow them do.
public final class Schemas {
  private static final Map<EventType, SemVer> NEWEST = new EnumMap<>(EventType.class);
  private static final Map<EventType, Schema> CURRENT = new EnumMap<>(EventType.class);

  static {
    for (var type : EventType.values()) {
      NEWEST.putIfAbsent(type, SemVer.FIRST); // a type that has a newer one names it above
      CURRENT.put(type, find(type, NEWEST.get(type)).orElseThrow());
    }
  }

  private Schemas() {}

  public static Schema current(EventType type) {
    return CURRENT.get(type);
  }

  static Optional<Schema> find(EventType type, SemVer version) {
    return text(type, version).map(text -> Schema.of(version, JsonBody.read(text)));
  }

  /// As it was published.
  public static Optional<byte[]> text(EventType type, SemVer version) {
    var name = "/event-schemas/" + type.word() + "/" + version + ".json";
    try (var in = Schemas.class.getResourceAsStream(name)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
