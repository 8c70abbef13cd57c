package io.holdfast.events;

import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import io.holdfast.events.Weight.UseCase;
import io.holdfast.web.PublicUrl;
import jakarta.inject.Singleton;
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
@Singleton
public final class CloudEventJson {
  /// Without a charset: JSON is UTF-8, and strict readers take no parameter.
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

  private final PublicUrl publicUrl;

  public CloudEventJson(PublicUrl publicUrl) {
    this.publicUrl = publicUrl;
  }

  public byte[] of(StoredEvent event) {
    var full = full(event);
    return WEIGHT == Weight.FAT && full.length < BYTES_MAX
        ? full
        : serialize(event, thinData(event));
  }

  /// An event that tests a webhook. It has no sequence number.
  public byte[] ping(String id, String webhookId, Instant at) {
    var type = EventType.WEBHOOK_PING;
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put(Event.SCHEMA_VERSION, type.schema().version().toString());
    data.put("webhookId", webhookId);
    var cloudEvent =
        attributes(id, type, at, data)
            .withSource(URI.create("/v1/webhooks/" + webhookId))
            .withSubject(webhookId)
            .build();
    return withMillis(FORMAT.serialize(cloudEvent), at);
  }

  /// Without a size limit.
  byte[] full(StoredEvent event) {
    return serialize(event, event.data());
  }

  private static Map<String, @Nullable Object> thinData(StoredEvent event) {
    var thin = new LinkedHashMap<String, @Nullable Object>();
    thin.put(Event.SCHEMA_VERSION, event.data().get(Event.SCHEMA_VERSION));
    thin.put("weight", Weight.THIN);
    thin.put("href", "/v1/pools/" + event.pool() + "/events/" + event.sequence());
    return thin;
  }

  private byte[] serialize(StoredEvent event, Map<String, @Nullable Object> data) {
    var cloudEvent =
        attributes(event.publicId(), event.type(), event.recordedAt(), data)
            .withSource(URI.create("/v1/pools/" + event.pool()))
            .withSubject(event.subject())
            .withExtension("sequence", Long.toString(event.sequence()))
            .build();
    return withMillis(FORMAT.serialize(cloudEvent), event.recordedAt());
  }

  private CloudEventBuilder attributes(
      String id, EventType type, Instant at, Map<String, @Nullable Object> data) {
    var schema = "/v1/event-types/" + type.word() + "/" + type.schema().version();
    return CloudEventBuilder.v1()
        .withId(id)
        .withType(type.word())
        .withTime(at.truncatedTo(ChronoUnit.MILLIS).atOffset(ZoneOffset.UTC))
        .withDataSchema(publicUrl.of(schema))
        .withData("application/json", EventJson.write(data).getBytes(StandardCharsets.UTF_8));
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
