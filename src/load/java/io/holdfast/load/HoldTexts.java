package io.holdfast.load;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Requests for pools of seats and for holds of them, with `Digits` where holds differ.
public final class HoldTexts {
  private static final int POOL_DIGITS = 3;
  private static final int ITEM_DIGITS = 6;
  private static final int REQUESTER_DIGITS = 9;
  private static final int TOKEN_DIGITS = 28; // which makes it as long as a UUID
  private static final int SEATS_A_ROW = 50;

  public static final String POOL = "b" + Digits.of(Digits.POOL, POOL_DIGITS);
  public static final String ITEM = "S-" + Digits.of(Digits.ITEM, ITEM_DIGITS);

  /// The default policy, set explicitly so that measurements do not change with the defaults. The
  /// lease is longer than the run, so the sweeper finds nothing.
  private static final String POLICY =
      """
      {"leaseSeconds":1200,"windowSeconds":1800,"heartbeatSeconds":120,"maxItemsPerHold":8,\
      "maxHoldsPerRequester":4,"idempotencyWindowSeconds":60,"currency":"EUR"}\
      """;

  private HoldTexts() {}

  public static String pool(long number) {
    return "b%03d".formatted(number);
  }

  public static String item(long number) {
    return "S-%06d".formatted(number);
  }

  /// @param who a letter that keeps the tokens and requesters of one case from those of another
  public static String token(char who) {
    return "bench-" + who + "-" + Digits.of(Digits.NUMBER, TOKEN_DIGITS);
  }

  public static String requester(char who) {
    return who + "-" + Digits.of(Digits.NUMBER, REQUESTER_DIGITS);
  }

  /// The whole request for a hold of one item.
  public static String hold(String key, char who) {
    return post(
        "/v1/pools/" + POOL + "/holds",
        authorization(key) + "Idempotency-Key: " + token(who) + "\r\n",
        body(requester(who), ITEM));
  }

  /// The body of a request for a hold of one item.
  public static String body(String requester, String item) {
    return "{\"requester\":\"%s\",\"items\":[\"%s\"]}".formatted(requester, item);
  }

  /// The body of a request for a new pool.
  public static String newPool(String pool, long items) {
    return "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":%s,\"policy\":%s}"
        .formatted(pool, catalogue(items), POLICY);
  }

  /// The body of a request for a new pool of units.
  public static String newStock(String pool, long capacity) {
    return "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":%d,\"priceCents\":5000,\"policy\":%s}"
        .formatted(pool, capacity, POLICY);
  }

  /// The body of a request for a new waiting room, which admits by call only.
  public static String newRoom(String pool) {
    var policy =
        POLICY.replaceFirst(
            "}$", ",\"waitingRoom\":true,\"graceSeconds\":86400,\"passSeconds\":86400}");
    return "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":1000,\"priceCents\":5000,\"policy\":%s}"
        .formatted(pool, policy);
  }

  /// The body of a request for a new auction.
  public static String newAuction(String pool, Instant closesAt) {
    return "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1,\"policy\":%s}"
        .formatted(pool, closesAt, POLICY);
  }

  public static String authorization(String key) {
    return "Authorization: Bearer " + key + "\r\n";
  }

  public static String get(String path, String headers) {
    return "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n".formatted(path, headers);
  }

  public static String post(String path, String headers, String body) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, headers, body.getBytes(StandardCharsets.ISO_8859_1).length, body);
  }

  private static String catalogue(long items) {
    return LongStream.range(0, items)
        .mapToObj(
            i ->
                "{\"item\":\"%s\",\"section\":\"A\",\"row\":\"%d\",\"number\":%d,\"x\":%d,\"y\":%d,\"priceCents\":5000}"
                    .formatted(
                        item(i),
                        i / SEATS_A_ROW,
                        i % SEATS_A_ROW,
                        i % SEATS_A_ROW,
                        i / SEATS_A_ROW))
        .collect(Collectors.joining(",", "[", "]"));
  }
}
