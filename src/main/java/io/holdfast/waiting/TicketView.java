package io.holdfast.waiting;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.pool.QueuePosition;
import io.holdfast.web.Timestamp;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A ticket in responses.
@Serdeable
@JsonInclude(JsonInclude.Include.ALWAYS)
@Schema(name = "Ticket")
record TicketView(
    String ticket,
    State state,
    @Schema(description = "Whether the ticket lost its place with Redis and waits behind.")
        boolean requeued,
    @Schema(description = "1 is next; null for a ticket that does not wait.")
        @Nullable Long position,
    @Nullable Long estimatedWaitSeconds,
    @Schema(description = "What the estimate is made of; null without an estimate.")
        QueuePosition.@Nullable Basis estimateBasis,
    @Schema(description = "For the header Waiting-Room-Pass of holds; null unless ADMITTED.")
        @Nullable String pass,
    @Nullable String passUntil) {

  enum State {
    WAITING,
    ADMITTED,
    LEFT,
    /// Without a sign of life, or its pass is over or was revoked.
    EXPIRED,
    /// Everything is sold. The ticket waits again if something becomes free.
    SOLD_OUT
  }

  static TicketView waiting(
      String ticket, State state, boolean isRequeued, QueuePosition position) {
    return new TicketView(
        ticket,
        state,
        isRequeued,
        position.position(),
        position.waitSeconds(),
        position.basis(),
        null,
        null);
  }

  static TicketView admitted(String ticket, boolean isRequeued, String pass, Instant until) {
    return new TicketView(
        ticket, State.ADMITTED, isRequeued, null, null, null, pass, Timestamp.of(until));
  }

  static TicketView ended(
      String ticket, State state, boolean isRequeued, @Nullable Instant passUntil) {
    var until = passUntil == null ? null : Timestamp.of(passUntil);
    return new TicketView(ticket, state, isRequeued, null, null, null, null, until);
  }
}
