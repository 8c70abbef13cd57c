package io.holdfast.bench;

import io.holdfast.load.Digits;
import io.holdfast.load.HoldTexts;

/// The bytes of the requests, with `Digits` where they differ. They have only what the route needs:
/// the bare endpoint gets no key and no token.
final class RequestTexts {
  private static final String PAYMENT =
      "{\"provider\":\"simulator\",\"method\":\"ok\",\"amountCents\":5000,\"currency\":\"EUR\"}";

  private static final int AMOUNT_DIGITS = 9;
  private static final int AUCTION_DIGITS = 3;

  /// The auction in which a bid's number has its place.
  static final String AUCTION = "a" + Digits.of(Digits.POOL, AUCTION_DIGITS);

  private RequestTexts() {}

  static String bare() {
    return HoldTexts.post("/bench/bare", "", HoldTexts.body("u-000000001", "S-000001"));
  }

  static String textbook() {
    return HoldTexts.post("/bench/textbook", "", HoldTexts.body("u-000000001", "S-000001"));
  }

  static String hold(char who) {
    return HoldTexts.hold(Launch.KEY, who);
  }

  /// Any two seats of that pool.
  static String best(char who, String pool) {
    return HoldTexts.post(
        "/v1/pools/" + pool + "/holds",
        authorization() + "Idempotency-Key: " + HoldTexts.token(who) + "\r\n",
        "{\"requester\":\"%s\",\"bestAvailable\":2}".formatted(HoldTexts.requester(who)));
  }

  /// One unit of that pool.
  static String unitHold(char who, String pool) {
    return HoldTexts.post(
        "/v1/pools/" + pool + "/holds",
        authorization() + "Idempotency-Key: " + HoldTexts.token(who) + "\r\n",
        "{\"requester\":\"%s\",\"quantity\":1}".formatted(HoldTexts.requester(who)));
  }

  /// A new value of that type, for as long as the holds of the other pools.
  static String reservation(char who, String type) {
    return HoldTexts.post(
        "/v1/reservations",
        authorization() + "Idempotency-Key: " + HoldTexts.token(who) + "\r\n",
        "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":1200000}"
            .formatted(type, HoldTexts.requester(who)));
  }

  static String join(char who, String pool) {
    return HoldTexts.post(
        "/v1/pools/" + pool + "/queue",
        authorization() + "Idempotency-Key: " + HoldTexts.token(who) + "\r\n",
        "{\"requester\":\"%s\"}".formatted(HoldTexts.requester(who)));
  }

  /// @param joined the body that answered it
  static String look(String joined) {
    return HoldTexts.get("/v1/queue/" + Fields.of(joined, "ticket"), authorization());
  }

  static String auction(long number) {
    return "a%03d".formatted(number);
  }

  /// More than all bids before it.
  static String bid(char who, String auction, String requester) {
    return HoldTexts.post(
        "/v1/pools/" + auction + "/bids",
        authorization() + "Idempotency-Key: " + HoldTexts.token(who) + "\r\n",
        "{\"requester\":\"%s\",\"amountCents\":1%s}"
            .formatted(requester, Digits.of(Digits.NUMBER, AMOUNT_DIGITS)));
  }

  /// @param hold the body that answered its placing
  static String heartbeat(String hold) {
    return HoldTexts.post(
        "/v1/holds/" + Fields.of(hold, "holdId") + "/heartbeat",
        authorization(),
        "{\"requester\":\"%s\",\"fence\":%s}"
            .formatted(Fields.of(hold, "requester"), Fields.of(hold, "fence")));
  }

  /// @param hold the body that answered its placing
  static String confirm(String hold) {
    var requester = Fields.of(hold, "requester");
    return HoldTexts.post(
        "/v1/holds/" + Fields.of(hold, "holdId") + "/confirm",
        authorization() + "Idempotency-Key: bench-sale-00000000000000-" + requester + "\r\n",
        "{\"requester\":\"%s\",\"fence\":%s,\"orderId\":\"order-%s\"}"
            .formatted(requester, Fields.of(hold, "fence"), requester));
  }

  /// @param reservation the body that answered it
  static String confirmReservation(String reservation) {
    var key = Fields.of(reservation, "key");
    var value = key.substring(key.indexOf(':') + 1);
    return HoldTexts.post(
        "/v1/reservations/" + Fields.of(reservation, "reservationId") + "/confirm",
        authorization() + "Idempotency-Key: bench-sale-00000000000000-" + value + "\r\n",
        "{\"entityId\":\"order-%s\"}".formatted(value));
  }

  /// @param hold the body that answered its placing
  static String checkout(String hold) {
    var requester = Fields.of(hold, "requester");
    return HoldTexts.post(
        "/v1/checkouts",
        authorization()
            + "Prefer: wait=30\r\nIdempotency-Key: bench-checkout-0000000000-"
            + requester
            + "\r\n",
        "{\"holdId\":\"%s\",\"requester\":\"%s\",\"fence\":%s,\"payment\":%s}"
            .formatted(Fields.of(hold, "holdId"), requester, Fields.of(hold, "fence"), PAYMENT));
  }

  static String insert() {
    return HoldTexts.post(
        "/bench/insert", authorization(), HoldTexts.body("u-000000001", "S-000001"));
  }

  private static String authorization() {
    return HoldTexts.authorization(Launch.KEY);
  }
}
