package io.holdfast.redis;

import module java.base;

import io.holdfast.redis.ModelHold.Call;
import io.holdfast.redis.ModelHold.Wish;
import io.holdfast.redis.StockLedger.Decision;

/// The rules of a pool of units in plain Java, one call after the other, with a clock that only a
/// test moves. It answers as the scripts of `redis-scripts/hold/` do, which are compared with it.
final class StockModel {
  static final long PIN_MS = 400;
  static final long SKEW_MS = 20;
  static final long GRACE_MS = 100;
  private static final long PINNED_MS = 1_000;

  final SortedMap<Long, ModelHold> holds = new TreeMap<>();
  final ModelTokens tokens = new ModelTokens();
  final long capacity;
  long now;
  long epoch = 1;
  long seq;
  long version;

  /// Of the journal, in this epoch.
  long lines;

  /// The newest entry of the ledger that Redis was told of.
  long stockVersion;

  long sold;

  StockModel(long capacity, long now) {
    this.capacity = capacity;
    this.now = now;
  }

  String take(Call call, Wish wish) {
    return once(
        call,
        () -> {
          var who = call.caller() + "\t" + wish.requester();
          if (left() < wish.quantity() || holdsOf(who) >= wish.holdsMax()) {
            held().filter(this::isOver).toList().forEach(this::expireUncaused);
          }
          if (left() < wish.quantity()) {
            return "TAKEN\t";
          }
          return holdsOf(who) >= wish.holdsMax()
              ? "LIMIT\t" + wish.holdsMax()
              : "HELD\t" + grant(call, wish).text();
        });
  }

  String release(Call call, long fence, String requester) {
    return once(
        call,
        () -> {
          var hold = holds.get(fence);
          if (hold == null) {
            return "ABSENT";
          }
          if (!hold.call.caller().equals(call.caller())) {
            return "NOT_KNOWN";
          }
          if (!hold.isHeld() || !hold.wish.requester().equals(requester) || hasLapsed(hold)) {
            return "NOT_HELD";
          }
          return hold.isPinned()
              ? "PINNED\t\t" + epoch + "\t" + hold.text()
              : "RELEASED\t" + end(hold, "RELEASED", "");
        });
  }

  String expire(Call call, long fence, boolean isForced) {
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
          return hold.isPinned()
              ? "PINNED\t" + reason + "\t" + epoch + "\t" + hold.text()
              : "EXPIRED\t" + end(hold, "EXPIRED", reason);
        });
  }

  /// By the requester of the hold.
  String pin(Call call, long fence) {
    var hold = holds.get(fence);
    if (hold == null) {
      return "ABSENT";
    }
    if (Set.of("WINDOW", "LEASE").contains(hold.endReason)) {
      return "ELAPSED";
    }
    if (!hold.isHeld()) {
      return "NOT_HELD";
    }
    var deadline = Math.min(now + PIN_MS, hold.expiresAt()) - SKEW_MS;
    if (now >= hold.expiresAt() || isOver(hold)) {
      return "ELAPSED";
    }
    if (deadline <= now) {
      return "CLOSING";
    }
    var until = Math.max(deadline + GRACE_MS, hold.leaseUntil);
    if (until > hold.leaseUntil || hold.isPinned()) {
      hold.dueAt = until;
    }
    hold.pinNo += hold.isPinned() ? 2 : 1;
    var running = new ModelTokens.Entry(now, "confirm", call.digest(), "RUNNING\t" + until);
    tokens.keep(call.key(), running);
    return "PINNED\t%d\t%d\t%s".formatted(deadline, epoch, hold.text());
  }

  String unpin(long fence, long pinNo) {
    var hold = holds.get(fence);
    if (hold == null || !hold.isHeld() || hold.pinNo != pinNo) {
      return "OTHER";
    }
    hold.pinNo++;
    hold.dueAt = hold.leaseUntil;
    return "UNPINNED";
  }

  String settle(Decision decision) {
    if (decision.hasStock() && decision.version() > stockVersion) {
      stockVersion = decision.version();
      sold = decision.sold();
      version++;
    }
    var hold = holds.get(decision.fence());
    if (decision.hasRecord() && hold != null && hold.isHeld()) {
      hold.endAs(decision.record());
      version++;
      lines++;
    }
    return "SETTLED";
  }

  List<String> sweep(int count) {
    var due =
        held()
            .filter(hold -> hold.dueAt <= now)
            .sorted(
                Comparator.comparingLong((ModelHold hold) -> hold.dueAt)
                    .thenComparing(hold -> String.valueOf(hold.fence)))
            .limit(count)
            .toList();
    var swept = due.stream().map(this::sweep).toList();
    tokens.sweep(now);
    var next = LongStream.concat(held().mapToLong(hold -> hold.dueAt), tokens.next(now)).min();
    var first = "SWEPT\t" + (next.isPresent() ? next.getAsLong() : "");
    return Stream.concat(Stream.of(first), swept.stream()).toList();
  }

  private String sweep(ModelHold hold) {
    if (hold.isPinned()) {
      hold.dueAt = now + PINNED_MS;
      return "PINNED\t" + epoch + "\t" + hold.text();
    }
    expireUncaused(hold);
    return "EXPIRED\t" + (now - hold.leaseUntil);
  }

  /// Returns the keys that Redis forgets by itself meanwhile.
  List<String> move(long ms) {
    now += ms;
    return tokens.expire(now).map(bucket -> "tok:" + bucket).toList();
  }

  Stream<ModelHold> held() {
    return holds.values().stream().filter(ModelHold::isHeld);
  }

  long heldUnits() {
    return held().mapToLong(hold -> hold.wish.quantity()).sum();
  }

  void lease(ModelHold hold, long until) {
    hold.leaseUntil = Math.min(until, hold.expiresAt());
    hold.dueAt = hold.leaseUntil;
  }

  private long left() {
    return capacity - sold - heldUnits();
  }

  private long holdsOf(String who) {
    return held().filter(hold -> hold.who().equals(who)).count();
  }

  private boolean hasLapsed(ModelHold hold) {
    return hold.leaseUntil <= now;
  }

  private boolean isOver(ModelHold hold) {
    return hasLapsed(hold) && !hold.isPinned();
  }

  private String once(Call call, Supplier<String> decision) {
    return tokens.answer(call, now).orElseGet(() -> record(call, decision.get()));
  }

  private String record(Call call, String outcome) {
    if (!outcome.equals("ABSENT") && !outcome.startsWith("PINNED\t")) {
      tokens.keep(call.key(), new ModelTokens.Entry(now, call.action(), call.digest(), outcome));
      lines++;
    }
    return outcome;
  }

  private ModelHold grant(Call call, Wish wish) {
    var hold = new ModelHold((epoch << 32) + ++seq, call, wish, now);
    holds.put(hold.fence, hold);
    lease(hold, now + wish.leaseMs());
    version++;
    return hold;
  }

  private void expireUncaused(ModelHold hold) {
    end(hold, "EXPIRED", hold.elapsedReason());
    lines++;
  }

  private String end(ModelHold hold, String state, String reason) {
    hold.end(state, reason, now);
    version++;
    return hold.text();
  }
}
