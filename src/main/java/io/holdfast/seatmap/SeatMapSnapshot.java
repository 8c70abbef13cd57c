package io.holdfast.seatmap;

import com.fasterxml.jackson.core.JsonFactory;
import io.holdfast.catalogue.Catalogue.Unavailable;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/// The states of all items of a pool at one moment, with their JSON. Equal ETags mean equal bytes.
/// A pool of units or values has counts instead of items, an auction its leader beside its lot.
///
/// @param number grows with every change of the pool
/// @param states in the order of the items
/// @param summary a member of the JSON: the counts of a pool of units or values, or the leader of
///   an auction; empty for other pools
record SeatMapSnapshot(
    String etag, long number, List<String> items, List<State> states, String summary, byte[] body) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int BYTES_AN_ITEM = 40;

  enum State {
    FREE,
    HELD,
    SOLD,
    BLOCKED
  }

  static SeatMapSnapshot of(
      PoolCounts counts,
      List<String> items,
      Set<String> held,
      Unavailable unavailable,
      String summary) {
    return of(etag(counts), counts, items, states(items, held, unavailable), summary);
  }

  /// A snapshot of a pool that changed while it was read, or with sales that are not settled or
  /// holds that are not swept yet. The version does not identify its content, so it gets a content
  /// ETag.
  static SeatMapSnapshot duringChanges(
      PoolCounts counts,
      List<String> items,
      Set<String> held,
      Unavailable unavailable,
      String summary) {
    var snapshot = of(counts, items, held, unavailable, summary);
    var sum = new CRC32C();
    sum.update(snapshot.body);
    var etag = "\"%d-%08x\"".formatted(counts.number(), sum.getValue());
    return new SeatMapSnapshot(
        etag, snapshot.number, items, snapshot.states, summary, snapshot.body);
  }

  static SeatMapSnapshot ofCounts(Pool pool, PoolCounts counts) {
    var text =
        "\"counts\":{\"free\":%d,\"held\":%d,\"sold\":%d}"
            .formatted(counts.free(pool), counts.held(), counts.sold());
    var body = "{\"version\":%d,\"items\":[],%s}".formatted(counts.number(), text);
    return new SeatMapSnapshot(
        etag(counts),
        counts.number(),
        List.of(),
        List.of(),
        text,
        body.getBytes(StandardCharsets.UTF_8));
  }

  static String etag(PoolCounts counts) {
    return "\"" + counts.number() + "\"";
  }

  private static SeatMapSnapshot of(
      String etag, PoolCounts counts, List<String> items, List<State> states, String summary) {
    return new SeatMapSnapshot(
        etag, counts.number(), items, states, summary, write(counts, items, states, summary));
  }

  private static byte[] write(
      PoolCounts counts, List<String> items, List<State> states, String summary) {
    var bytes = new ByteArrayOutputStream(BYTES_AN_ITEM * (1 + items.size()));
    try (var json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("version", counts.number());
      json.writeArrayFieldStart("items");
      for (var i = 0; i < items.size(); i++) {
        json.writeStartObject();
        json.writeStringField("item", items.get(i));
        json.writeStringField("state", states.get(i).name());
        json.writeEndObject();
      }
      json.writeEndArray();
      if (!summary.isEmpty()) {
        json.writeRaw("," + summary);
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static List<State> states(List<String> items, Set<String> held, Unavailable unavailable) {
    return items.stream().map(item -> state(item, held, unavailable)).toList();
  }

  private static State state(String item, Set<String> held, Unavailable unavailable) {
    if (unavailable.sold().contains(item)) {
      return State.SOLD;
    }
    if (unavailable.blocked().contains(item)) {
      return State.BLOCKED;
    }
    return held.contains(item) ? State.HELD : State.FREE;
  }
}
