package io.holdfast.events.privacy;

import io.holdfast.events.Event;
import io.holdfast.events.EventJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The placeholder of a shredded value, and the redaction of an event that is not encrypted.
public final class Redaction {
  private Redaction() {}

  /// The paths of the personal values of an event, such as `commitment.requester`.
  static List<String> paths(Event event) {
    var paths = new ArrayList<String>();
    PersonalFieldWalker.replace(
        markedData(event),
        EventJson.PERSONAL,
        (_, path) -> {
          paths.add(path);
          return null;
        });
    return paths;
  }

  /// Redacts the personal values of an event and reports which they were.
  static Shredded shredEvent(Event event, String correlationId, Instant at) {
    var fields = new ArrayList<String>();
    var data =
        PersonalFieldWalker.replace(
            markedData(event),
            EventJson.PERSONAL,
            (part, path) -> {
              fields.add(path);
              return redacted(typeOf(part.get(EventJson.VALUE)), at);
            });
    return new Shredded(data, new Audit(correlationId, List.copyOf(fields), at));
  }

  record Shredded(Map<String, @Nullable Object> data, Audit audit) {}

  record Audit(String correlationId, List<String> fieldsShredded, Instant shreddedAt) {}

  public static Map<String, @Nullable Object> redacted(String originalType, Instant at) {
    var redacted = new LinkedHashMap<String, @Nullable Object>();
    redacted.put("__redacted", true);
    redacted.put("originalType", originalType);
    redacted.put("redactedAt", EventJson.timestamp(at));
    return redacted;
  }

  public static String typeOf(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String _ -> "string";
      case Number _ -> "number";
      case Boolean _ -> "boolean";
      case List<?> _ -> "array";
      default -> "object";
    };
  }

  private static Map<String, @Nullable Object> markedData(Event event) {
    return EventJson.read(EventJson.write(event.data()));
  }
}
