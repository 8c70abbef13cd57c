package io.holdfast.bench;

import io.holdfast.load.Numbered;
import io.holdfast.load.Requests;
import io.holdfast.load.Seats;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Holds placed before a turn whose requests are refused by them, replay them or extend them.
///
/// @param first number of them
/// @param holds what they were answered with
record Prelude(Seats seats, long first, List<String> holds) {
  private static final char WHO = 'u';
  private static final char RIVAL = 'r';
  private static final AtomicLong RIVALS = new AtomicLong();

  /// Other requesters ask for the same items, each with a new token.
  Requests refusals() {
    var taken = seats.only(first, holds.size());
    return new Numbered(RequestTexts.hold(RIVAL), RIVALS::getAndIncrement, taken);
  }

  /// The same requests again.
  Requests replays() {
    var again = new AtomicLong();
    return new Numbered(
        RequestTexts.hold(WHO), () -> first + again.getAndIncrement() % holds.size(), seats);
  }

  Requests heartbeats() {
    return new Prepared(holds.stream().map(RequestTexts::heartbeat).toList());
  }
}
