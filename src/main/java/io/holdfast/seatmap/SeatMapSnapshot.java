package io.holdfast.seatmap;

import com.fasterxml.jackson.core.JsonFactory;
import io.holdfast.pool.PoolCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/// The items of a pool at one moment, ready to be sent. Equal tags mean equal bytes.
///
/// @param number grows with every change of the pool
/// @param states how each of the items stands, in their order
public record SeatMapSnapshot(
    String etag, long number, List<String> items, List<State> states, byte[] body) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int BYTES_AN_ITEM = 40;

  /// How an item stands.
  public enum State {
    FREE,
    HELD,
    SOLD
  }

  static SeatMapSnapshot of(
      PoolCounts standing, List<String> items, Set<String> held, Set<String> sold) {
    return of(etag(standing), standing, items, states(items, held, sold));
  }

  /// What changed while it was looked at, is sold and not settled yet, or has lapsed and not been
  /// swept yet: the version alone does not tell such pictures apart.
  static SeatMapSnapshot ofUnrest(
      PoolCounts standing, List<String> items, Set<String> held, Set<String> sold) {
    var picture = of(standing, items, held, sold);
    var sum = new CRC32C();
    sum.update(picture.body);
    var etag = "\"%d-%08x\"".formatted(standing.number(), sum.getValue());
    return new SeatMapSnapshot(etag, picture.number, items, picture.states, picture.body);
  }

  static String etag(PoolCounts standing) {
    return "\"" + standing.number() + "\"";
  }

  private static SeatMapSnapshot of(
      String etag, PoolCounts standing, List<String> items, List<State> states) {
    return new SeatMapSnapshot(
        etag, standing.number(), items, states, write(standing, items, states));
  }

  private static byte[] write(PoolCounts standing, List<String> items, List<State> states) {
    var bytes = new ByteArrayOutputStream(BYTES_AN_ITEM * (1 + items.size()));
    try (var json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("version", standing.number());
      json.writeArrayFieldStart("items");
      for (var i = 0; i < items.size(); i++) {
        json.writeStartObject();
        json.writeStringField("item", items.get(i));
        json.writeStringField("state", states.get(i).name());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static List<State> states(List<String> items, Set<String> held, Set<String> sold) {
    return items.stream().map(item -> state(item, held, sold)).toList();
  }

  private static State state(String item, Set<String> held, Set<String> sold) {
    if (sold.contains(item)) {
      return State.SOLD;
    }
    return held.contains(item) ? State.HELD : State.FREE;
  }
}
