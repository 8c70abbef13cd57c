package io.holdfast.redis;

import module java.base;

/// A hold of the model, and what was asked for when it was placed.
final class ModelHold {
  final long fence;
  final Call call;
  final Wish wish;
  final long placedAt;
  long leaseUntil;
  String state = "HELD";
  String endedAt = "";
  String endReason = "";

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

  record Wish(
      String requester,
      long leaseMs,
      long windowMs,
      int holdsMax,
      List<String> items,
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
    return Stream.of(
            state,
            fence,
            salt(),
            call.caller(),
            wish.requester(),
            placedAt,
            leaseUntil,
            expiresAt(),
            wish.leaseMs(),
            endedAt,
            endReason,
            "0",
            call.token(),
            String.join("\n", wish.items()),
            "",
            wish.metadata())
        .map(String::valueOf)
        .collect(Collectors.joining("\t"));
  }
}
