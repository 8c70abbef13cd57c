package io.holdfast.reservation;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.PoolName;
import io.holdfast.web.JsonBody;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/// A reservation in responses.
///
/// @param key the type and the value; if values are stored as hashes, the hash unless the request
///   has the value
/// @param status reserved, confirmed, released or expired
/// @param expiresAt null once it is confirmed
/// @param entityId null until it is confirmed
@Serdeable
@Schema(name = "Reservation")
record ReservationJson(
    String reservationId,
    String key,
    String type,
    String status,
    @Nullable String expiresAt,
    @Nullable String entityId,
    @Nullable String correlationId) {
  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final String CORRELATION_ID = "correlationId";

  /// @param value as it is shown
  static ReservationJson of(
      PoolName type, HoldRecord hold, String value, @Nullable String entityId, boolean isReturned) {
    return new ReservationJson(
        hold.id(type).toString(),
        type + ":" + value,
        type.value(),
        isReturned ? "released" : status(hold.state()),
        hold.state() == HoldState.CONFIRMED ? null : time(hold.leaseUntil()),
        entityId,
        correlationId(hold.metadata()));
  }

  private static String status(HoldState state) {
    return switch (state) {
      case HELD -> "reserved";
      case CONFIRMED -> "confirmed";
      case RELEASED -> "released";
      case EXPIRED -> "expired";
    };
  }

  /// What is stored with the hold.
  static String metadata(@Nullable String correlationId) {
    return correlationId == null
        ? ""
        : "{\"%s\":\"%s\"}"
            .formatted(
                CORRELATION_ID,
                new String(JsonStringEncoder.getInstance().quoteAsString(correlationId)));
  }

  private static @Nullable String correlationId(String metadata) {
    return metadata.isEmpty()
        ? null
        : (String) JsonBody.read(metadata.getBytes(StandardCharsets.UTF_8)).get(CORRELATION_ID);
  }

  private static String time(Instant moment) {
    return MILLISECONDS.format(moment);
  }
}
