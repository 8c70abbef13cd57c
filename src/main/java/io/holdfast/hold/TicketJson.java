package io.holdfast.hold;

import io.holdfast.pool.Pool;
import io.holdfast.pool.QueuePosition;
import io.holdfast.pool.TicketRecord;

/// Writes the outcomes of tickets that join and leave as JSON. Equal records give equal bytes, so
/// that a replay equals the first response.
final class TicketJson {
  private TicketJson() {}

  static byte[] ofJoin(Pool pool, QueuePosition position, TicketRecord ticket) {
    return HoldJson.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("ticket", ticket.id(pool.name()).toString());
          json.writeNumberField("sequence", ticket.place());
          json.writeObjectField("position", position.position());
          json.writeObjectField("estimatedWaitSeconds", position.waitSeconds());
          json.writeStringField(
              "estimateBasis", position.basis() == null ? null : position.basis().name());
          json.writeEndObject();
        });
  }

  static byte[] ofEnd(Pool pool, TicketRecord ticket) {
    return HoldJson.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("ticket", ticket.id(pool.name()).toString());
          json.writeStringField("state", ticket.state().name());
          HoldJson.time(json, "endedAt", ticket.endedAt());
          json.writeEndObject();
        });
  }
}
