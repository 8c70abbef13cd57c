package io.holdfast.redis;

import module java.base;

/// The rules of holds in plain Java, one call after the other, with a clock that only a test moves.
/// It answers as the scripts of `redis-scripts/hold/` do, which are compared with it.
final class HoldModel {
  static final long NET_MS = 60_000;

  final Set<String> catalogue;
  final Set<String> sold = new HashSet<>();
  final SortedMap<Long, ModelHold> holds = new TreeMap<>();
  final Map<String, Holder> holders = new HashMap<>();
  final ModelTokens tokens = new ModelTokens();
  long now;
  long epoch = 1;
  long seq;
  long version;

  /// Of the journal, in this epoch.
  long lines;

  HoldModel(Set<String> catalogue, long now) {
    this.catalogue = catalogue;
    this.now = now;
  }

  /// An item's key: its fence, and its TTL.
  record Holder(long fence, long until, long lifeMs) {}

  String place(ModelHold.Call call, ModelHold.Wish wish) {
    return once(call, () -> decide(call, wish));
  }

  String release(ModelHold.Call call, long fence, String salt, String requester) {
    return once(
        call,
        () -> {
          var hold = holds.get(fence);
          if (hold == null) {
            return "ABSENT";
          }
          if (!hold.salt().equals(salt) || !hold.call.caller().equals(call.caller())) {
            return "NOT_KNOWN";
          }
          var isTheirs = hold.wish.requester().equals(requester);
          return hold.isHeld() && isTheirs && !hasLapsed(hold)
              ? "RELEASED\t" + end(hold, "RELEASED", "")
              : "NOT_HELD";
        });
  }

  String expire(ModelHold.Call call, long fence, boolean isForced) {
    return once(
        call,
        () -> {
          var hold = holds.get(fence);
          if (hold == null) {
            return "ABSENT";
          }
          if (!hold.isHeld()) {
            return "NOT_HELD";
          }
          if (!hasLapsed(hold) && !isForced) {
            return "WINDOW_NOT_ELAPSED";
          }
          var reason = hasLapsed(hold) ? hold.elapsedReason() : "FORCED";
          return "EXPIRED\t" + end(hold, "EXPIRED", reason);
        });
  }

  String extend(String caller, long fence, String requester, long known) {
    var hold = holds.get(fence);
    if (hold == null) {
      return "ABSENT";
    }
    if (!hold.call.caller().equals(caller)) {
      return "NOT_KNOWN";
    }
    if (Set.of("WINDOW", "LEASE").contains(hold.endReason) || hold.isHeld() && hasLapsed(hold)) {
      return "ELAPSED";
    }
    if (!hold.isHeld() || !hold.wish.requester().equals(requester)) {
      return "NOT_HELD";
    }
    if (fence != known) {
      return "STALE_FENCE";
    }
    lease(hold, Math.max(hold.leaseUntil, now + hold.wish.leaseMs()));
    return "EXTENDED\t" + hold.text();
  }

  /// The reply has a text for each hold that it ends, and before them when to come again.
  List<String> sweep(int count) {
    var due =
        held()
            .filter(this::hasLapsed)
            .sorted(
                Comparator.comparingLong((ModelHold hold) -> hold.leaseUntil)
                    .thenComparing(hold -> String.valueOf(hold.fence)))
            .limit(count)
            .toList();
    var ended = due.stream().map(hold -> "EXPIRED\t" + (now - hold.leaseUntil)).toList();
    due.forEach(hold -> end(hold, "EXPIRED", hold.elapsedReason()));
    lines += due.size();
    tokens.sweep(now);
    var next = LongStream.concat(held().mapToLong(hold -> hold.leaseUntil), tokens.next(now)).min();
    var first = "SWEPT\t" + (next.isPresent() ? next.getAsLong() : "");
    return Stream.concat(Stream.of(first), ended.stream()).toList();
  }

  /// Returns the keys that Redis forgets by itself meanwhile.
  List<String> move(long ms) {
    now += ms;
    var items = holders.keySet().stream().filter(item -> holders.get(item).until() <= now);
    var gone =
        Stream.concat(items.map(item -> "item:" + item), tokens.expire(now).map(b -> "tok:" + b))
            .toList();
    holders.values().removeIf(holder -> holder.until() <= now);
    return gone;
  }

  boolean hasLapsed(ModelHold hold) {
    return hold.leaseUntil <= now;
  }

  Stream<ModelHold> held() {
    return holds.values().stream().filter(ModelHold::isHeld);
  }

  void lease(ModelHold hold, long until) {
    hold.leaseUntil = Math.min(until, hold.expiresAt());
    var net = Math.max(hold.leaseUntil, now) + NET_MS;
    hold.wish.items().forEach(item -> holders.put(item, new Holder(hold.fence, net, net - now)));
  }

  private String once(ModelHold.Call call, Supplier<String> decision) {
    var known = tokens.answer(call, now);
    if (known.isPresent()) {
      return known.get();
    }
    var outcome = decision.get();
    if (!outcome.equals("ABSENT")) {
      var entry = new ModelTokens.Entry(now, call.action(), call.digest(), outcome);
      tokens.keep(call.key(), entry);
      lines++;
    }
    return outcome;
  }

  private String decide(ModelHold.Call call, ModelHold.Wish wish) {
    var unknown = wish.items().stream().filter(item -> !catalogue.contains(item)).toList();
    if (!unknown.isEmpty()) {
      return "NO_SUCH_ITEM\t" + String.join("\n", unknown);
    }
    var who = call.caller() + "\t" + wish.requester();
    var same =
        held()
            .filter(hold -> !hasLapsed(hold) && hold.who().equals(who))
            .filter(hold -> Set.copyOf(hold.wish.items()).equals(Set.copyOf(wish.items())))
            .findAny();
    if (same.isPresent()) {
      return "SAME\t" + same.get().text();
    }
    var taken = wish.items().stream().filter(this::isTaken).toList();
    if (!taken.isEmpty()) {
      return "TAKEN\t" + String.join("\n", taken);
    }
    var inTheWay = wish.items().stream().flatMap(this::holderOf).distinct().toList();
    var others = held().filter(hold -> hold.who().equals(who) && !inTheWay.contains(hold)).count();
    if (others >= wish.holdsMax()) {
      return "LIMIT\t" + wish.holdsMax();
    }
    inTheWay.forEach(hold -> end(hold, "EXPIRED", hold.elapsedReason()));
    lines += inTheWay.size();
    return "HELD\t" + grant(call, wish).text();
  }

  private boolean isTaken(String item) {
    return sold.contains(item)
        || held().anyMatch(hold -> !hasLapsed(hold) && hold.wish.items().contains(item));
  }

  private Stream<ModelHold> holderOf(String item) {
    return Stream.ofNullable(holders.get(item)).map(holder -> holds.get(holder.fence()));
  }

  private ModelHold grant(ModelHold.Call call, ModelHold.Wish wish) {
    var hold = new ModelHold((epoch << 32) + ++seq, call, wish, now);
    holds.put(hold.fence, hold);
    lease(hold, now + wish.leaseMs());
    version++;
    return hold;
  }

  private String end(ModelHold hold, String state, String reason) {
    hold.end(state, reason, now);
    holders.values().removeIf(holder -> holder.fence() == hold.fence);
    version++;
    return hold.text();
  }
}
