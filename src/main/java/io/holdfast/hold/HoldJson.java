package io.holdfast.hold;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.web.Timestamp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes holds as JSON. Equal records give equal bytes, so that a replay equals the first
/// response. A change here changes every response that is stored under a token, so it needs a new
/// `EntryVersion`. A test compares the bytes with a stored copy.
final class HoldJson {
  private static final int SIZE_USUAL = 512;
  private static final JsonFactory JSON = new JsonFactory();

  private HoldJson() {}

  static byte[] of(Pool pool, HoldRecord hold) {
    return bytes(json -> write(json, pool, hold));
  }

  /// The short response to a heartbeat.
  static byte[] ofHeartbeat(Pool pool, HoldRecord hold) {
    return bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("holdId", hold.id(pool.name()).toString());
          time(json, "leaseUntil", hold.leaseUntil());
          time(json, "expiresAt", hold.expiresAt());
          json.writeEndObject();
        });
  }

  /// The short response to a bid.
  static byte[] ofBid(Pool pool, HoldRecord hold, HoldRecord.Bid bid) {
    return bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("bidId", hold.id(pool.name()).toString());
          json.writeNumberField("sequence", hold.fence().value());
          json.writeNumberField("amountCents", bid.amountCents());
          json.writeBooleanField("leading", bid.isLeading());
          time(json, "leaseUntil", hold.leaseUntil());
          time(json, "expiresAt", hold.expiresAt());
          json.writeNumberField("heartbeatSeconds", pool.policy().heartbeat().toSeconds());
          json.writeEndObject();
        });
  }

  static byte[] ofPage(Pool pool, List<HoldRecord> holds) {
    return bytes(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("holds");
          for (var hold : holds) {
            write(json, pool, hold);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  static byte[] ofRequester(List<RequesterHolds.Shown> holds) {
    return bytes(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("holds");
          for (var each : holds) {
            write(json, each.pool(), each.hold());
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void write(JsonGenerator json, Pool pool, HoldRecord hold) throws IOException {
    json.writeStartObject();
    json.writeStringField("holdId", hold.id(pool.name()).toString());
    json.writeStringField("pool", pool.name().value());
    json.writeArrayFieldStart("items");
    if (hold.quantity() == null) {
      for (var item : hold.items()) {
        json.writeString(item.value());
      }
    }
    json.writeEndArray();
    json.writeObjectField("quantity", hold.quantity());
    if (hold.bid() != null) {
      json.writeNumberField("amountCents", hold.bid().amountCents());
    }
    json.writeStringField("requester", hold.requester());
    if (!hold.metadata().isEmpty()) {
      json.writeFieldName("metadata");
      json.writeRawValue(hold.metadata());
    }
    json.writeStringField("state", hold.state().name());
    json.writeNumberField("fence", hold.fence().value());
    time(json, "placedAt", hold.placedAt());
    time(json, "leaseUntil", hold.leaseUntil());
    time(json, "expiresAt", hold.expiresAt());
    json.writeNumberField("heartbeatSeconds", pool.policy().heartbeat().toSeconds());
    if (hold.state() != HoldState.HELD) {
      time(json, "endedAt", hold.endedAt());
      json.writeStringField("endReason", hold.endReason() == null ? null : hold.endReason().name());
    }
    if (hold.state() == HoldState.CONFIRMED) {
      json.writeStringField("commitmentId", "cm~" + hold.id(pool.name()));
      time(json, "committedAt", hold.endedAt());
    }
    json.writeEndObject();
  }

  static void time(JsonGenerator json, String name, @Nullable Instant moment) throws IOException {
    json.writeStringField(name, moment == null ? null : Timestamp.of(moment));
  }

  interface Content {
    void writeTo(JsonGenerator json) throws IOException;
  }

  static byte[] bytes(Content content) {
    var bytes = new ByteArrayOutputStream(SIZE_USUAL);
    try (var json = JSON.createGenerator(bytes)) {
      content.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
