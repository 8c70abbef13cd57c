package io.holdfast.events;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.holdfast.events.privacy.PersonalValue;
import io.holdfast.web.JsonBody;
import io.holdfast.web.Timestamp;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes and reads event data as JSON. A personal value is written as an object with the reserved
/// member `__personal`.
public final class EventJson {
  public static final String PERSONAL = "__personal";
  public static final String VALUE = "value";

  private static final int BUFFER_CHARS = 512;
  private static final JsonFactory JSON = new JsonFactory();

  private EventJson() {}

  public static String write(Map<String, @Nullable Object> data) {
    var text = new StringWriter(BUFFER_CHARS);
    try (var json = JSON.createGenerator(text)) {
      writeValue(json, data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  public static Map<String, @Nullable Object> read(String text) {
    return JsonBody.read(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String timestamp(Instant instant) {
    return Timestamp.of(instant);
  }

  private static void writeValue(JsonGenerator json, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> json.writeNull();
      case String text -> json.writeString(text);
      case Instant instant -> json.writeString(timestamp(instant));
      case Enum<?> constant -> json.writeString(constant.name());
      case Long number -> json.writeNumber(number);
      case Integer number -> json.writeNumber(number);
      case Boolean isTrue -> json.writeBoolean(isTrue);
      case PersonalValue personal -> writeValue(json, markedObject(personal));
      case Map<?, ?> map -> {
        json.writeStartObject();
        for (var member : map.entrySet()) {
          json.writeFieldName((String) member.getKey());
          writeValue(json, member.getValue());
        }
        json.writeEndObject();
      }
      case Collection<?> list -> {
        json.writeStartArray();
        for (var element : list) {
          writeValue(json, element);
        }
        json.writeEndArray();
      }
      default -> json.writeNumber(value.toString());
    }
  }

  /// The JSON form of a personal value.
  public static Map<String, @Nullable Object> markedObject(PersonalValue personal) {
    var person = personal.person();
    var map = new LinkedHashMap<String, @Nullable Object>();
    map.put(PERSONAL, List.of(person.caller(), person.requester()));
    map.put(VALUE, personal.value());
    return map;
  }
}
