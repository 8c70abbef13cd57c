package io.holdfast.redis;

import java.util.List;
import java.util.stream.Stream;

/// A hold as it lies in Redis, for tests: its record, and the commands that put it there.
///
/// @param leaseUntil in the days of old or far ahead, so that no test depends on the hour
/// @param quantity 0 for a hold of items
record AHold(
    String state,
    long fence,
    String caller,
    String requester,
    long leaseUntil,
    long expiresAt,
    long leaseMs,
    String endedAt,
    String endReason,
    long pinNo,
    List<String> items,
    int quantity,
    String metadata) {

  static final String SALT = "0123456789abcdef";
  static final long LONG_AGO = 1_600_000_000_000L;
  static final long FAR_AHEAD = 4_000_000_000_000L;
  static final long LEASE_MS = 600_000;
  static final long WINDOW_MS = 1_800_000;

  /// Held by u1 through the shop, and for a long time yet.
  static AHold aHold(int number, String... items) {
    return new AHold(
        "HELD",
        Arena.fence(number),
        "shop",
        "u1",
        FAR_AHEAD,
        FAR_AHEAD + WINDOW_MS,
        LEASE_MS,
        "",
        "",
        0,
        List.of(items),
        0,
        "");
  }

  /// The same of a number of units.
  static AHold aHoldOf(int number, int quantity) {
    var hold = aHold(number);
    return new AHold(
        hold.state,
        hold.fence,
        hold.caller,
        hold.requester,
        hold.leaseUntil,
        hold.expiresAt,
        hold.leaseMs,
        hold.endedAt,
        hold.endReason,
        hold.pinNo,
        List.of(),
        quantity,
        "");
  }

  /// A bid, which led when it was placed. It has two more fields behind the metadata.
  static AHold aBid(int number, long amountCents) {
    return aHold(number).noting("\t" + amountCents + "\tLEADING");
  }

  AHold noting(String otherMetadata) {
    return new AHold(
        state,
        fence,
        caller,
        requester,
        leaseUntil,
        expiresAt,
        leaseMs,
        endedAt,
        endReason,
        pinNo,
        items,
        quantity,
        otherMetadata);
  }

  AHold by(String otherCaller, String otherRequester) {
    return new AHold(
        state,
        fence,
        otherCaller,
        otherRequester,
        leaseUntil,
        expiresAt,
        leaseMs,
        endedAt,
        endReason,
        pinNo,
        items,
        quantity,
        metadata);
  }

  /// Being committed, if the number is odd.
  AHold pinned(long number) {
    return new AHold(
        state,
        fence,
        caller,
        requester,
        leaseUntil,
        expiresAt,
        leaseMs,
        endedAt,
        endReason,
        number,
        items,
        quantity,
        metadata);
  }

  /// Its lease is over, and it has not been ended yet.
  AHold lapsed() {
    return leased(LONG_AGO, LONG_AGO + WINDOW_MS, leaseMs);
  }

  AHold pastItsWindow() {
    return leased(LONG_AGO, LONG_AGO, leaseMs);
  }

  AHold leased(long until, long windowUntil, long ms) {
    return new AHold(
        state,
        fence,
        caller,
        requester,
        until,
        windowUntil,
        ms,
        endedAt,
        endReason,
        pinNo,
        items,
        quantity,
        metadata);
  }

  AHold ended(String as, String reason) {
    return new AHold(
        as,
        fence,
        caller,
        requester,
        leaseUntil,
        expiresAt,
        leaseMs,
        String.valueOf(LONG_AGO),
        reason,
        pinNo,
        items,
        quantity,
        metadata);
  }

  String who() {
    return caller + "\t" + requester;
  }

  /// How its record is asked for.
  String record() {
    return "HGET %s %d".formatted(Arena.HOLDS, fence);
  }

  String text() {
    return "%s\t%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%d\tplaced-%d\t%s\t%s\t%s"
        .formatted(
            state,
            fence,
            SALT,
            caller,
            requester,
            LONG_AGO,
            leaseUntil,
            expiresAt,
            leaseMs,
            endedAt,
            endReason,
            pinNo,
            fence,
            String.join("\n", items),
            quantity == 0 ? "" : quantity,
            metadata);
  }

  /// What is in Redis of it; of an ended one that is its record alone.
  Stream<String> commands() {
    var record = "HSET %s %d %s".formatted(Arena.HOLDS, fence, text());
    return state.equals("HELD")
        ? Stream.concat(Stream.of(record), livingCommands())
        : Stream.of(record);
  }

  private Stream<String> livingCommands() {
    return Stream.concat(
        Stream.of(
            "ZADD %s %d %d".formatted(Arena.DUE, leaseUntil, fence),
            "HINCRBY %s who:%s 1".formatted(Arena.META, who()),
            "HINCRBY %s held %d".formatted(Arena.META, quantity + items.size())),
        Stream.concat(
            bidCommands(),
            items.stream().map(item -> "SET %s %d PX 700000".formatted(Arena.item(item), fence))));
  }

  private Stream<String> bidCommands() {
    if (!metadata.startsWith("\t")) {
      return Stream.empty();
    }
    var amount = metadata.split("\t")[1];
    return Stream.of(
        "ZADD %s -%s %016d".formatted(Arena.BIDS, amount, fence),
        "HSET %s bid:%s %d".formatted(Arena.META, who(), fence));
  }
}
