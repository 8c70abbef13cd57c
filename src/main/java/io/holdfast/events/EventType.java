package io.holdfast.events;

import io.holdfast.events.schema.Schema;
import java.util.Arrays;
import java.util.Optional;

/// The types of published events. Each has schemas in `event-schemas/<word>/<version>.json`; new
/// events follow the newest.
public enum EventType {
  HOLD_PLACED("hold.placed"),
  HOLD_RELEASED("hold.released"),
  HOLD_EXPIRED("hold.expired"),
  HOLD_CONFIRMED("hold.confirmed"),
  CHECKOUT_FULFILLED("checkout.fulfilled"),
  CHECKOUT_COMPENSATED("checkout.compensated"),
  CHECKOUT_STUCK("checkout.stuck"),
  COMMITMENT_VOIDED("commitment.voided"),
  AUCTION_CLOSED("auction.closed"),
  POOL_CHANGED("pool.changed"),
  /// Tests a webhook. It belongs to no pool and is stored nowhere.
  WEBHOOK_PING("webhook.ping");

  private final String word;

  EventType(String word) {
    this.word = word;
  }

  /// The name in JSON and in the tables.
  public String word() {
    return word;
  }

  public static Optional<EventType> of(String word) {
    return Arrays.stream(values()).filter(type -> type.word.equals(word)).findFirst();
  }

  /// The schema that new events of this type follow.
  public Schema schema() {
    return Schema.current(this);
  }
}
