package io.holdfast.bench;

/// A case that is measured, by its name in the report.
enum Case {
  BARE("bare endpoint", Load.Expected.CREATED),
  TEXTBOOK("textbook route", Load.Expected.CREATED),
  HOLD("hold", Load.Expected.CREATED),
  BEST("two seats side by side", Load.Expected.CREATED),
  REFUSAL("refusal of a taken item", Load.Expected.TAKEN),
  REPLAY("replay of a token", Load.Expected.REPLAYED),
  HEARTBEAT("heartbeat", Load.Expected.DONE),
  RAW("raw place script, pipelined", Load.Expected.CREATED),
  CONFIRM("confirm", Load.Expected.DONE),
  RIVAL_STATEMENTS("rival, a transaction of statements", Load.Expected.DONE),
  RIVAL_ONE("rival, one statement", Load.Expected.DONE),
  UNIT_HOLD("hold of a unit", Load.Expected.CREATED),
  UNIT_CONFIRM("confirm of a unit", Load.Expected.DONE),
  RESERVATION("reservation", Load.Expected.CREATED),
  RESERVATION_CONFIRM("confirm of a reservation", Load.Expected.DONE),
  JOIN("join of a queue", Load.Expected.CREATED),
  LOOK("look at a place, 100 waiting", Load.Expected.DONE),
  LOOK_LONG("look at a place, 100,000 waiting", Load.Expected.DONE),
  BID("bid of a new bidder", Load.Expected.CREATED),
  RAISE("raise of the own bid", Load.Expected.CREATED),
  CHECKOUT("checkout, to its end", Load.Expected.DONE),
  INSERT("bare INSERT and COMMIT", Load.Expected.CREATED);

  private final String title;
  private final Load.Expected expected;

  Case(String title, Load.Expected expected) {
    this.title = title;
    this.expected = expected;
  }

  String title() {
    return title;
  }

  Load.Expected expected() {
    return expected;
  }
}
