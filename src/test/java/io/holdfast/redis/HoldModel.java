package io.holdfast.redis;

import module java.base;

/// The rules of holds in plain Java, one call after the other, with a clock that stands still until
/// it is moved. Answers as the scripts of `redis-scripts/hold/` do, which are compared with it.
final class HoldModel {
  static final long NET_MS = 60_000;
  static final long TOKEN_WINDOW_MS = 5_000;

  final Set<String> catalogue;
  final Set<String> sold = new HashSet<>();
  final SortedMap<Long, ModelHold> holds = new TreeMap<>();
  final Map<String, Holder> holders = new HashMap<>();
  final Map<String, Entry> entries = new HashMap<>();
  long now;
  long epoch = 1;
  long seq;
  long version;

  HoldModel(Set<String> catalogue, long now) {
    this.catalogue = catalogue;
    this.now = now;
  }

  /// An item's key: whose it is, and until when Redis keeps it should nobody end the hold.
  record Holder(long fence, long until, long lifeMs) {}

  record Entry(String action, String digest, List<Object> outcome, long until) {}

  List<Object> place(ModelHold.Call call, ModelHold.Wish wish) {
    return once(call, () -> decide(call, wish));
  }

  List<Object> release(ModelHold.Call call, long fence, String salt, String requester) {
    return once(
        call,
        () -> {
          var hold = holds.get(fence);
          if (hold == null) {
            return List.of("ABSENT");
          }
          if (!hold.salt().equals(salt) || !hold.call.caller().equals(call.caller())) {
            return List.of("NOT_KNOWN", "");
          }
          var isTheirs = hold.wish.requester().equals(requester);
          return hold.isHeld() && isTheirs && !hasLapsed(hold)
              ? List.of("RELEASED", end(hold, "RELEASED", ""))
              : List.of("NOT_HELD", "");
        });
  }

  List<Object> expire(ModelHold.Call call, long fence, boolean isForced) {
    return once(
        call,
        () -> {
          var hold = holds.get(fence);
          if (hold == null) {
            return List.of("ABSENT");
          }
          if (!hold.isHeld()) {
            return List.of("NOT_HELD", "");
          }
          if (!hasLapsed(hold) && !isForced) {
            return List.of("WINDOW_NOT_ELAPSED", "");
          }
          var reason = hasLapsed(hold) ? elapsedReason(hold) : "FORCED";
          return List.of("EXPIRED", end(hold, "EXPIRED", reason));
        });
  }

  List<Object> extend(String caller, long fence, String requester) {
    var hold = holds.get(fence);
    if (hold == null) {
      return List.of("ABSENT");
    }
    if (!hold.call.caller().equals(caller)) {
      return List.of("NOT_KNOWN");
    }
    if (Set.of("WINDOW", "LEASE").contains(hold.endReason) || hold.isHeld() && hasLapsed(hold)) {
      return List.of("ELAPSED");
    }
    if (!hold.isHeld() || !hold.wish.requester().equals(requester)) {
      return List.of("NOT_HELD");
    }
    lease(hold, Math.max(hold.leaseUntil, now + hold.wish.leaseMs()));
    return List.of("EXTENDED", hold.text());
  }

  List<Object> sweep(int count) {
    var due =
        holds.values().stream()
            .filter(hold -> hold.isHeld() && hasLapsed(hold))
            .sorted(Comparator.comparingLong((ModelHold hold) -> hold.leaseUntil))
            .limit(count)
            .toList();
    var answer = new ArrayList<Object>(List.of("SWEPT"));
    for (var hold : due) {
      answer.add(String.valueOf(now - hold.leaseUntil));
      end(hold, "EXPIRED", elapsedReason(hold));
    }
    return answer;
  }

  /// Returns the keys that Redis forgets by itself meanwhile.
  List<String> move(long ms) {
    now += ms;
    var items = holders.keySet().stream().filter(item -> holders.get(item).until() <= now);
    var tokens = entries.keySet().stream().filter(token -> entries.get(token).until() <= now);
    var gone =
        Stream.concat(items.map(item -> "item:" + item), tokens.map(token -> "tok:" + token))
            .toList();
    holders.values().removeIf(holder -> holder.until() <= now);
    entries.values().removeIf(entry -> entry.until() <= now);
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

  private List<Object> once(ModelHold.Call call, Supplier<List<Object>> decision) {
    var seen = entries.get(call.key());
    if (seen != null) {
      return seen.action().equals(call.action()) && seen.digest().equals(call.digest())
          ? List.of("REPLAY", "%s\t%s".formatted(seen.outcome().toArray()))
          : List.of("COLLISION");
    }
    var outcome = decision.get();
    if (!outcome.equals(List.of("ABSENT"))) {
      var until = now + TOKEN_WINDOW_MS;
      entries.put(call.key(), new Entry(call.action(), call.digest(), outcome, until));
    }
    return outcome;
  }

  private List<Object> decide(ModelHold.Call call, ModelHold.Wish wish) {
    var unknown = wish.items().stream().filter(item -> !catalogue.contains(item)).toList();
    if (!unknown.isEmpty()) {
      return List.of("NO_SUCH_ITEM", String.join("\n", unknown));
    }
    var who = call.caller() + "\t" + wish.requester();
    var same =
        held()
            .filter(hold -> !hasLapsed(hold) && hold.who().equals(who))
            .filter(hold -> Set.copyOf(hold.wish.items()).equals(Set.copyOf(wish.items())))
            .findAny();
    if (same.isPresent()) {
      return List.of("SAME", same.get().text());
    }
    var taken = wish.items().stream().filter(this::isTaken).toList();
    if (!taken.isEmpty()) {
      return List.of("TAKEN", String.join("\n", taken));
    }
    var inTheWay = wish.items().stream().flatMap(this::holderOf).distinct().toList();
    var others = held().filter(hold -> hold.who().equals(who) && !inTheWay.contains(hold)).count();
    if (others >= wish.holdsMax()) {
      return List.of("LIMIT", String.valueOf(wish.holdsMax()));
    }
    inTheWay.forEach(hold -> end(hold, "EXPIRED", elapsedReason(hold)));
    return List.of("HELD", grant(call, wish).text());
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

  private static String elapsedReason(ModelHold hold) {
    return hold.leaseUntil == hold.expiresAt() ? "WINDOW" : "LEASE";
  }
}
