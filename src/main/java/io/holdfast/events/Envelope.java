package io.holdfast.events;

import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event as it travels: CloudEvents 1.0, structured JSON. One that grows too large for receivers
/// travels thin, and says where the whole of it is.
final class Envelope {
  static final String MEDIA_TYPE = "application/cloudevents+json";

  /// What Standard Webhooks promises receivers.
  static final int BYTES_MAX = 20_000;

  private static final JsonFormat FORMAT = new JsonFormat();

  private Envelope() {}

  static byte[] of(StoredEvent event) {
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
            .withTime(event.recordedAt().atOffset(ZoneOffset.UTC))
            .withDataSchema(URI.create(schema))
            .withExtension("sequence", Long.toString(event.sequence()))
            .withData("application/json", EventJson.write(data).getBytes(StandardCharsets.UTF_8))
            .build();
    return FORMAT.serialize(cloudEvent);
  }
}
