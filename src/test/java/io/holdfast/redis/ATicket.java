package io.holdfast.redis;

import java.util.stream.Stream;

/// A ticket of the waiting room of the examples, with its number as its place.
record ATicket(
    String state, long number, long place, String requester, String endedAt, String passUntil) {
  static final String SEAL = "1.sealsealsealsealseals.";
  static final String GRACE_MS = "120000";
  static final String QUEUE = Arena.key("queue");
  static final String TICKETS = Arena.key("tickets");
  static final String PRESENT = Arena.key("present");
  static final String QUEUED = Arena.key("queued");
  static final String INSIDE = Arena.key("inside");
  static final String CHOOSING = Arena.key("choosing");
  static final String PASSES = Arena.key("passes");
  static final String REVOKED = Arena.key("revoked");

  static ATicket aTicket(int number, String requester) {
    return new ATicket("WAITING", Arena.fence(number), Arena.fence(number), requester, "", "");
  }

  ATicket at(long other) {
    return new ATicket(state, number, other, requester, endedAt, passUntil);
  }

  ATicket admitted(long until) {
    return new ATicket("ADMITTED", number, place, requester, "", "" + until);
  }

  ATicket ended(String word) {
    return new ATicket(word, number, place, requester, "" + AHold.LONG_AGO, passUntil);
  }

  String text() {
    return String.join(
        "\t",
        state,
        "" + number,
        "" + place,
        "shop",
        requester,
        SEAL,
        "" + AHold.LONG_AGO,
        endedAt,
        "0",
        passUntil);
  }

  /// How its record is asked for.
  String record() {
    return "HGET %s %d".formatted(TICKETS, number);
  }

  /// What is in Redis of it, with a sign of life until then.
  String[] commands(long presentUntil) {
    var record = "HSET %s %d %s".formatted(TICKETS, number, text());
    var queued = "HSET %s shop\t%s %d".formatted(QUEUED, requester, number);
    var more =
        switch (state) {
          case "WAITING" ->
              Stream.of(
                  queued,
                  "ZADD %s %d %d".formatted(QUEUE, place, number),
                  "ZADD %s %d %d".formatted(PRESENT, presentUntil, number));
          case "ADMITTED" ->
              Stream.concat(
                  Stream.of(queued),
                  Stream.of(PASSES, INSIDE, CHOOSING)
                      .map(key -> "ZADD %s %s %d".formatted(key, passUntil, number)));
          default -> Stream.<String>of();
        };
    return Stream.concat(Stream.of(record), more).toArray(String[]::new);
  }

  String[] commands() {
    return commands(AHold.FAR_AHEAD);
  }
}
