package io.holdfast.events;

import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import io.holdfast.events.Weight.UseCase;
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

/// Writes an event as CloudEvents 1.0, structured JSON. An event that is too large for receivers is
/// sent thin, with a link to the full event.
public final class CloudEventJson {
  public static final String MEDIA_TYPE = "application/cloudevents+json";

  /// The payload limit of Standard Webhooks.
  static final int BYTES_MAX = 20_000;

  /// Webhook receivers are outside: the events are a published contract.
  private static final Weight WEIGHT = Weight.of(UseCase.PUBLISHED_LANGUAGE);

  private static final JsonFormat FORMAT = new JsonFormat();

  /// Matches only the attribute: quotes inside JSON strings are escaped.
  private static final Pattern TIME = Pattern.compile("\"time\":\"[^\"]*\"");

  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private CloudEventJson() {}

  public static byte[] of(StoredEvent event) {
    var full = full(event);
    return WEIGHT == Weight.FAT && full.length < BYTES_MAX
        ? full
        : serialize(event, thinData(event));
  }

  /// Without a size limit.
  static byte[] full(StoredEvent event) {
    return serialize(event, event.data());
  }

  private static Map<String, @Nullable Object> thinData(StoredEvent event) {
    var thin = new LinkedHashMap<String, @Nullable Object>();
    thin.put(Event.SCHEMA_VERSION, event.data().get(Event.SCHEMA_VERSION));
    thin.put("weight", Weight.THIN);
    thin.put("href", "/v1/pools/" + event.pool() + "/events/" + event.sequence());
    return thin;
  }

  private static byte[] serialize(StoredEvent event, Map<String, @Nullable Object> data) {
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

  /// The library drops trailing zeros; our timestamps always have three fraction digits.
  private static byte[] withMillis(byte[] json, Instant at) {
    if (at.toEpochMilli() % 10 != 0) {
      return json;
    }
    return TIME.matcher(new String(json, StandardCharsets.UTF_8))
        .replaceFirst("\"time\":\"" + MILLIS.format(at) + "\"")
        .getBytes(StandardCharsets.UTF_8);
  }
}
