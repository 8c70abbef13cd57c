package io.holdfast.redis;

import module java.base;

/// Opens the model's epoch, in Redis by the scripts of `redis-scripts/pool/`, each of them called
/// twice, since a seeder may have to repeat a call.
///
/// @param isLost whether Redis has lost the data of the epoch before
record ModelSeeding(HoldModel model, RedisMemory memory, boolean isLost) {

  void open() {
    twice("pool/seed", Stream.of("SEATS", 0, "TEST", ModelTokens.WINDOW_MS, "", "", ""));
    twice("pool/load", model.catalogue.stream().flatMap(this::entry));
    var survivors = survivors();
    twice("pool/recount", survivors.stream().flatMap(fence -> Stream.of(fence, "KEEP")));
    survivors.forEach(fence -> prolong(Long.parseLong(fence)));
    restore();
    twice("pool/open", Stream.of());
    model.lines += 2; // that it is seeded, and that it is open
  }

  private List<String> survivors() {
    var reply = twice("pool/survivors", Stream.of(0, -1)).getFirst();
    return Stream.of(reply.substring(reply.indexOf('\t') + 1).split("\n"))
        .filter(fence -> !fence.isEmpty())
        .toList();
  }

  private Stream<String> entry(String item) {
    return Stream.of(item, model.sold.contains(item) ? "7 SOLD" : "0");
  }

  /// A survivor gets a whole lease too, unless another hold has one of its items.
  private void prolong(long fence) {
    var hold = model.holds.get(fence);
    var isFree =
        hold.wish.items().stream()
            .map(model.holders::get)
            .allMatch(holder -> holder == null || holder.fence() == fence);
    if (isFree) {
      model.lease(hold, Math.max(hold.leaseUntil, model.now + hold.wish.leaseMs()));
    }
  }

  /// All are offered, and those that have survived are left alone; the others get a whole lease. A
  /// lapsed one may have lost an item to a newer hold before, and then it ends as lost.
  private void restore() {
    var offered = List.copyOf(model.held().toList().reversed());
    var records = offered.stream().map(ModelHold::text);
    twice("pool/restore", records);
    for (var hold : isLost ? offered : List.<ModelHold>of()) {
      if (hold.wish.items().stream().anyMatch(model.holders::containsKey)) {
        hold.end("EXPIRED", "LOST", model.now);
        model.lines++;
      } else {
        model.lease(hold, model.now + hold.wish.leaseMs());
      }
    }
  }

  private List<String> twice(String script, Stream<?> others) {
    var arguments = Stream.concat(Stream.of(model.epoch), others).toArray();
    memory.call(script, arguments);
    return memory.call(script, arguments);
  }
}
