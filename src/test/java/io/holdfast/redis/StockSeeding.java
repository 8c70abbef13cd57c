package io.holdfast.redis;

import module java.base;

/// Opens an epoch of a pool of units with what the ledger knows. Each script is called twice, since
/// a seeder may have to repeat a call.
///
/// @param isLost whether Redis has lost the data of the epoch before
record StockSeeding(StockModel model, StockLedger ledger, RedisMemory memory, boolean isLost) {

  void open() {
    twice("pool/seed", Stream.of("STOCK", 0, "TEST", ModelTokens.WINDOW_MS, "", "", ""));
    twice("pool/load", Stream.of("stock", ledger.entry()));
    model.stockVersion = ledger.version();
    model.sold = ledger.sold();
    var undecided = model.held().filter(hold -> !ledger.isDecided(hold)).toList();
    if (!isLost) {
      twice("pool/recount", model.held().flatMap(this::verdict));
    }
    model.holds.values().removeIf(hold -> hold.isHeld() && ledger.isDecided(hold));
    twice("pool/restore", undecided.reversed().stream().map(ModelHold::text));
    undecided.forEach(this::prolong);
    twice("pool/open", Stream.of());
    model.lines += 2; // that it is seeded, and that it is open
  }

  private Stream<Object> verdict(ModelHold hold) {
    return Stream.of(hold.fence, ledger.isDecided(hold) ? "DROP" : "KEEP");
  }

  private void prolong(ModelHold hold) {
    var until = model.now + hold.wish.leaseMs();
    model.lease(hold, isLost ? until : Math.max(until, hold.leaseUntil));
  }

  private void twice(String script, Stream<?> others) {
    var arguments = Stream.concat(Stream.of(model.epoch), others).toArray();
    memory.call(script, arguments);
    memory.call(script, arguments);
  }
}
