package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

final class PoolRecountExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/recount";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            blocked(),
            limited(),
            keptUnits(),
            prolongedUnits(),
            kept(),
            keptBefore(),
            prolonged(),
            beaten(),
            gone()),
        CommonExamples.ofSuperseded(title -> keep(title, fence(3), "KEEP")));
  }

  private static ScriptExample blocked() {
    var hold = aHold(3, "A-1", "A-2");
    return keep("one whose item was taken out of sale after its end", fence(3), "KEEP")
        .after(
            uncounted(Arena.seeding().with(hold))
                .having("HSET %s item:A-2 4␣BLOCKED blocked 1".formatted(Arena.META))
                .commands())
        .answers("KEPT")
        .leaving(Arena.count("held"), "0")
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving("ZCARD " + Arena.DUE, "0")
        .leaving("XLEN " + Arena.JOURNAL, "1");
  }

  private static ScriptExample limited() {
    return keep("one that counts for the limit of its requester", fence(3), "KEEP")
        .after(
            uncounted(Arena.seeding().with(aHold(3, "A-1", "A-2")))
                .having(Arena.itemsMax(4))
                .commands())
        .answers("KEPT")
        .leaving(Arena.OWN, (Arena.U1 + ",  %s=2").formatted(fence(3)));
  }

  private static ScriptExample kept() {
    var dropped = aHold(4, "A-3", "A-4");
    return keep("one and drop one", fence(3), "KEEP", fence(4), "DROP")
        .after(
            uncounted(Arena.seeding().with(aHold(3, "A-1", "A-2").pinned(5), dropped))
                .having("SET %s 99 PX 50000".formatted(Arena.item("A-4")))
                .commands())
        .answers("KEPT")
        .leaving(Arena.count("held"), "2")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3))
        .leaving(dropped.record(), "nothing")
        .leaving("EXISTS " + Arena.item("A-3"), "0")
        .leaving("GET " + Arena.item("A-4"), "99")
        .leaving(aHold(3).record(), aHold(3, "A-1", "A-2").pinned(5).text())
        .leaving("GET " + Arena.item("A-1"), fence(3))
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample keptUnits() {
    var kept = aHoldOf(3, 3).pinned(5).noting("{\"a\":1}");
    var counted = aHoldOf(5, 4);
    return keep(
            "units: drop one, keep one twice and one that was counted before",
            fence(4),
            "DROP",
            fence(3),
            "KEEP",
            fence(3),
            "KEEP",
            fence(5),
            "KEEP")
        .after(
            uncounted(Arena.seeding().stocked("4 2/10").with(kept, aHoldOf(4, 2), counted))
                .having(
                    "HSET %s held 4 who:shop\tu1 1".formatted(Arena.META),
                    "SADD %s %s".formatted(Arena.COUNTED, fence(5)))
                .commands())
        .answers("KEPT")
        .leaving("HMGET %s held sold".formatted(Arena.META), "7, 2")
        .leaving(Arena.REQUESTERS, "shop\tu1, 2")
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3) + ", " + fence(5))
        .leaving(aHoldOf(4, 2).record(), "nothing")
        .leaving(kept.record(), kept.text())
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample prolongedUnits() {
    var unheard = aHoldOf(3, 3).leased(AHold.LONG_AGO, AHold.FAR_AHEAD, AHold.LEASE_MS);
    return keep("units whose heartbeats this memory has missed", fence(3), "KEEP")
        .after(uncounted(Arena.seeding().stocked("4 2/10").with(unheard)).commands())
        .answers("KEPT")
        .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0")
        .leaving(Arena.count("held"), "3");
  }

  private static ScriptExample keptBefore() {
    var hold = aHold(3, "A-1", "A-2");
    return keep("one that was counted before", fence(3), "KEEP")
        .after(
            Arena.seeding()
                .with(hold)
                .having("SADD %s %s".formatted(Arena.COUNTED, fence(3)))
                .commands())
        .answers("KEPT")
        .leaving(Arena.count("held"), "2")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1");
  }

  private static ScriptExample prolonged() {
    return keep("one whose heartbeats this memory has missed", fence(3), "KEEP")
        .after(
            uncounted(Arena.seeding().with(unheard()))
                .having("DEL " + Arena.item("A-2"))
                .commands())
        .answers("KEPT")
        .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "0")
        .leaving("MGET %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), both(fence(3)))
        .leaving(Arena.count("held"), "2");
  }

  private static ScriptExample beaten() {
    return keep("one whose time ran out and whose item went to another", fence(3), "KEEP")
        .after(
            uncounted(Arena.seeding().with(unheard()))
                .having("SET %s 99 PX 50000".formatted(Arena.item("A-2")))
                .commands())
        .answers("KEPT")
        .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, AHold.LONG_AGO), "1")
        .leaving("GET " + Arena.item("A-2"), "99");
  }

  private static AHold unheard() {
    return aHold(3, "A-1", "A-2").leased(AHold.LONG_AGO, AHold.FAR_AHEAD, AHold.LEASE_MS);
  }

  private static String both(String fence) {
    return fence + ", " + fence;
  }

  private static ScriptExample gone() {
    return keep("one whose record is gone", "99", "KEEP")
        .after(Arena.seeding().having("ZADD %s 1 99".formatted(Arena.DUE)).commands())
        .answers("KEPT")
        .leaving("EXISTS " + Arena.DUE, "0")
        .leaving(Arena.REQUESTERS, "")
        .leaving(Arena.count("held"), "0");
  }

  /// As `pool/seed` leaves it: the holds are there but not counted.
  private static Arena uncounted(Arena pool) {
    return pool.having(
        "HDEL %s who:shop\tu1".formatted(Arena.META), "HSET %s held 0".formatted(Arena.META));
  }

  private static ScriptExample keep(String title, String... verdicts) {
    return example(title)
        .arguments(
            Stream.concat(Stream.of(Arena.OURS, Arena.EPOCH), Stream.of(verdicts))
                .toArray(String[]::new));
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
