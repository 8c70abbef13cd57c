package io.holdfast.events.privacy;

import io.holdfast.events.Event;
import io.holdfast.events.EventJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What stands where a personal part was, and how events that carry their marks are redacted.
public final class Redaction {
  private Redaction() {}

  /// Where an event has personal parts, such as `commitment.requester`.
  static List<String> paths(Event event) {
    var paths = new ArrayList<String>();
    PersonalFieldWalker.replace(
        marked(event),
        EventJson.PERSONAL,
        (_, path) -> {
          paths.add(path);
          return null;
        });
    return paths;
  }

  /// The data without their personal parts, and the audit of that.
  static Shredded shredEvent(Event event, String correlationId, Instant at) {
    var fields = new ArrayList<String>();
    var data =
        PersonalFieldWalker.replace(
            marked(event),
            EventJson.PERSONAL,
            (part, path) -> {
              fields.add(path);
              return redacted(part.get(EventJson.VALUE), at);
            });
    return new Shredded(data, new Audit(correlationId, List.copyOf(fields), at));
  }

  record Shredded(Map<String, @Nullable Object> data, Audit audit) {}

  record Audit(String correlationId, List<String> fieldsShredded, Instant shreddedAt) {}

  private static Map<String, @Nullable Object> redacted(@Nullable Object value, Instant at) {
    return redacted(typeOf(value), at);
  }

  public static Map<String, @Nullable Object> redacted(String originalType, Instant at) {
    var redacted = new LinkedHashMap<String, @Nullable Object>();
    redacted.put("__redacted", true);
    redacted.put("originalType", originalType);
    redacted.put("redactedAt", EventJson.moment(at));
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

  private static Map<String, @Nullable Object> marked(Event event) {
    return EventJson.read(EventJson.write(event.data()));
  }
}
