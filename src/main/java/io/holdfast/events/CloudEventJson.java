package io.holdfast.events;

import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An event as it travels: CloudEvents 1.0, structured JSON. One that grows too large for receivers
/// travels thin, and says where the whole of it is.
public final class CloudEventJson {
  public static final String MEDIA_TYPE = "application/cloudevents+json";

  /// What Standard Webhooks promises receivers.
  static final int BYTES_MAX = 20_000;

  private static final JsonFormat FORMAT = new JsonFormat();

  /// No text before it can look like it: quotes are escaped in texts.
  private static final Pattern TIME = Pattern.compile("\"time\":\"[^\"]*\"");

  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private CloudEventJson() {}

  public static byte[] of(StoredEvent event) {
    var fat = whole(event);
    return fat.length < BYTES_MAX ? fat : serialized(event, thin(event));
  }

  /// However large it is.
  static byte[] whole(StoredEvent event) {
    return serialized(event, event.data());
  }

  private static Map<String, @Nullable Object> thin(StoredEvent event) {
    var thin = new LinkedHashMap<String, @Nullable Object>();
    thin.put(Event.SCHEMA_VERSION, event.data().get(Event.SCHEMA_VERSION));
    thin.put("weight", Weight.THIN);
    thin.put("href", "/v1/pools/" + event.pool() + "/events/" + event.sequence());
    return thin;
  }

  private static byte[] serialized(StoredEvent event, Map<String, @Nullable Object> data) {
    var schema = "/v1/event-types/" + event.type().word() + "/" + event.type().schema().version();
    var cloudEvent =
        CloudEventBuilder.v1()
            .withId(event.publicId())
            .withSource(URI.create("/v1/pools/" + event.pool()))
            .withType(event.type().word())
            .withSubject(event.subject())
            .withTime(event.recordedAt().truncatedTo(ChronoUnit.MILLIS).atOffset(ZoneOffset.UTC))
            .withDataSchema(URI.create(schema))
            .withExtension("sequence", Long.toString(event.sequence()))
            .withData("application/json", EventJson.write(data).getBytes(StandardCharsets.UTF_8))
            .build();
    return withMillis(FORMAT.serialize(cloudEvent), event.recordedAt());
  }

  /// The library leaves out zeros at the end; all our times have three digits behind the second.
  private static byte[] withMillis(byte[] json, Instant at) {
    if (at.toEpochMilli() % 10 != 0) {
      return json;
    }
    var written = TIME.matcher(new String(json, StandardCharsets.UTF_8));
    return written
        .replaceFirst("\"time\":\"" + MILLIS.format(at) + "\"")
        .getBytes(StandardCharsets.UTF_8);
  }
}
