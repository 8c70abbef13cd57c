package io.holdfast.redis;

import module java.base;

/// A hold of the model, and what was asked for when it was placed.
final class ModelHold {
  final long fence;
  final Call call;
  final Wish wish;
  final long placedAt;
  long leaseUntil;

  /// When the sweep comes for it, if not at the end of its lease.
  long dueAt;

  long pinNo;
  String state = "HELD";
  String endedAt = "";
  String endReason = "";

  /// Its record, if another than these fields tell has ended it.
  private String ended = "";

  ModelHold(long fence, Call call, Wish wish, long placedAt) {
    this.fence = fence;
    this.call = call;
    this.wish = wish;
    this.placedAt = placedAt;
  }

  /// One call that carries a token.
  record Call(String action, String caller, String token, String digest) {
    Call under(String otherDigest) {
      return new Call(action, caller, token, otherDigest);
    }

    String key() {
      return caller + "\t" + token;
    }

    String salt() {
      return "salt-" + token;
    }
  }

  /// @param quantity 0 for a hold of items
  record Wish(
      String requester,
      long leaseMs,
      long windowMs,
      int holdsMax,
      List<String> items,
      int quantity,
      String metadata) {
    /// As the service takes it: equal digests mean equal wishes.
    String digest() {
      return "1:" + Integer.toHexString(hashCode());
    }
  }

  void end(String newState, String reason, long now) {
    state = newState;
    endedAt = String.valueOf(now);
    endReason = reason;
  }

  /// By a decision of the ledger.
  void endAs(String record) {
    state = record.substring(0, record.indexOf('\t'));
    ended = record;
  }

  boolean isPinned() {
    return pinNo % 2 == 1;
  }

  String elapsedReason() {
    return leaseUntil == expiresAt() ? "WINDOW" : "LEASE";
  }

  boolean isHeld() {
    return state.equals("HELD");
  }

  long expiresAt() {
    return placedAt + wish.windowMs();
  }

  String who() {
    return call.caller() + "\t" + wish.requester();
  }

  String salt() {
    return call.salt();
  }

  String text() {
    return ended.isEmpty() ? text(state, endedAt, wish.quantity()) : ended;
  }

  /// As the ledger writes it at its end.
  String textAt(String end, long now, int units) {
    return text(end, String.valueOf(now), units);
  }

  private String text(String itsState, String itsEnd, int units) {
    return Stream.of(
            itsState,
            fence,
            salt(),
            call.caller(),
            wish.requester(),
            placedAt,
            leaseUntil,
            expiresAt(),
            wish.leaseMs(),
            itsEnd,
            endReason,
            pinNo,
            call.token(),
            String.join("\n", wish.items()),
            units == 0 ? "" : units,
            wish.metadata())
        .map(String::valueOf)
        .collect(Collectors.joining("\t"));
  }
}
