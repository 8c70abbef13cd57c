package io.holdfast.hold;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/// The items of a pool at one moment, ready to be sent. Equal tags mean equal bytes.
record Picture(String etag, byte[] body) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int BYTES_AN_ITEM = 40;

  static Picture of(Standing standing, List<String> items, Set<String> held, Set<String> sold) {
    return new Picture(etag(standing), write(standing, items, held, sold));
  }

  /// What changed while it was looked at, or is sold and not settled yet: the version alone does
  /// not tell such pictures apart.
  static Picture ofUnrest(
      Standing standing, List<String> items, Set<String> held, Set<String> sold) {
    var body = write(standing, items, held, sold);
    var sum = new CRC32C();
    sum.update(body);
    var etag = "\"%d-%08x\"".formatted(standing.number(), sum.getValue());
    return new Picture(etag, body);
  }

  static String etag(Standing standing) {
    return "\"" + standing.number() + "\"";
  }

  private static byte[] write(
      Standing standing, List<String> items, Set<String> held, Set<String> sold) {
    var bytes = new ByteArrayOutputStream(BYTES_AN_ITEM * (1 + items.size()));
    try (var json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("version", standing.number());
      json.writeArrayFieldStart("items");
      for (var item : items) {
        json.writeStartObject();
        json.writeStringField("item", item);
        json.writeStringField("state", state(item, held, sold));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static String state(String item, Set<String> held, Set<String> sold) {
    if (sold.contains(item)) {
      return "SOLD";
    }
    return held.contains(item) ? "HELD" : "FREE";
  }
}
