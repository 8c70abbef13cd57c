package io.holdfast.bench;

import java.nio.charset.StandardCharsets;

/// The requests as they go over the wire, with `Digits` where they differ from each other. They
/// carry what the route needs and nothing else: the bare endpoint gets no key and no token.
final class RequestTexts {
  private static final int POOL_DIGITS = 3;
  private static final int ITEM_DIGITS = 6;
  private static final int REQUESTER_DIGITS = 9;
  private static final int TOKEN_DIGITS = 28; // which makes it as long as a UUID

  static final String POOL = "b" + Digits.of(Digits.POOL, POOL_DIGITS);
  static final String ITEM = "S-" + Digits.of(Digits.ITEM, ITEM_DIGITS);

  private static final String PAYMENT =
      "{\"provider\":\"simulator\",\"method\":\"ok\",\"amountCents\":5000,\"currency\":\"EUR\"}";

  private RequestTexts() {}

  static String pool(long number) {
    return "b%03d".formatted(number);
  }

  static String item(long number) {
    return "S-%06d".formatted(number);
  }

  /// @param who a letter that keeps the tokens and requesters of one case from those of another
  static String token(char who) {
    return "bench-" + who + "-" + Digits.of(Digits.NUMBER, TOKEN_DIGITS);
  }

  static String requester(char who) {
    return who + "-" + Digits.of(Digits.NUMBER, REQUESTER_DIGITS);
  }

  static String bare() {
    return post("/bench/bare", "", body("u-000000001", "S-000001"));
  }

  static String least() {
    return post("/bench/least", "", body("u-000000001", "S-000001"));
  }

  static String hold(char who) {
    return post(
        "/v1/pools/" + POOL + "/holds",
        authorization() + "Idempotency-Key: " + token(who) + "\r\n",
        body(requester(who), ITEM));
  }

  /// Any two seats of that pool.
  static String best(char who, String pool) {
    return post(
        "/v1/pools/" + pool + "/holds",
        authorization() + "Idempotency-Key: " + token(who) + "\r\n",
        "{\"requester\":\"%s\",\"bestAvailable\":2}".formatted(requester(who)));
  }

  /// @param hold the body that answered its placing
  static String heartbeat(String hold) {
    return post(
        "/v1/holds/" + Fields.of(hold, "holdId") + "/heartbeat",
        authorization(),
        "{\"requester\":\"%s\",\"fence\":%s}"
            .formatted(Fields.of(hold, "requester"), Fields.of(hold, "fence")));
  }

  /// @param hold the body that answered its placing
  static String confirm(String hold) {
    var requester = Fields.of(hold, "requester");
    return post(
        "/v1/holds/" + Fields.of(hold, "holdId") + "/confirm",
        authorization() + "Idempotency-Key: bench-sale-00000000000000-" + requester + "\r\n",
        "{\"requester\":\"%s\",\"fence\":%s,\"orderId\":\"order-%s\"}"
            .formatted(requester, Fields.of(hold, "fence"), requester));
  }

  /// @param hold the body that answered its placing
  static String checkout(String hold) {
    var requester = Fields.of(hold, "requester");
    return post(
        "/v1/checkouts",
        authorization()
            + "Prefer: wait=30\r\nIdempotency-Key: bench-checkout-0000000000-"
            + requester
            + "\r\n",
        "{\"holdId\":\"%s\",\"requester\":\"%s\",\"fence\":%s,\"payment\":%s}"
            .formatted(Fields.of(hold, "holdId"), requester, Fields.of(hold, "fence"), PAYMENT));
  }

  static String insert() {
    return post("/bench/insert", authorization(), body("u-000000001", "S-000001"));
  }

  static String body(String requester, String item) {
    return "{\"requester\":\"%s\",\"items\":[\"%s\"]}".formatted(requester, item);
  }

  private static String authorization() {
    return "Authorization: Bearer " + Launch.KEY + "\r\n";
  }

  private static String post(String path, String headers, String body) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, headers, body.getBytes(StandardCharsets.ISO_8859_1).length, body);
  }
}
