package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

final class PoolRestoreExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/restore";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(blocked(), limited(), restored(), overdue(), units(), survivingUnits()),
        known(),
        beaten(),
        CommonExamples.ofSuperseded(title -> restore(title, aHold(3, "A-1"))));
  }

  private static ScriptExample blocked() {
    return restore("a hold whose item was taken out of sale after its end", aHold(3, "A-1", "A-2"))
        .after(
            Arena.seeding()
                .having("HSET %s item:A-2 4␣BLOCKED blocked 1".formatted(Arena.META))
                .commands())
        .answers("RESTORED", "0", "1")
        .answeringAnew()
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving(Arena.count("held"), "0")
        .leaving("XLEN " + Arena.JOURNAL, "1");
  }

  private static ScriptExample limited() {
    return restore("a hold that counts for the limit of its requester", aHold(3, "A-1", "A-2"))
        .after(Arena.seeding().having(Arena.itemsMax(4)).commands())
        .answers("RESTORED", "1", "0")
        .answeringAnew()
        .leaving(Arena.OWN, (Arena.U1 + ",  %s=2").formatted(fence(3)));
  }

  private static ScriptExample restored() {
    var hold = aHold(3, "A-1", "A-2").lapsed().leased(1, AHold.FAR_AHEAD, AHold.LEASE_MS);
    var now = Clock.systemUTC().millis();
    return restore("a hold with a whole lease", hold)
        .after(Arena.seeding().commands())
        .answers("RESTORED", "1", "0")
        .answeringAnew()
        .leaving(hold.record(), hold.leased(now, AHold.FAR_AHEAD, AHold.LEASE_MS).text())
        .leaving("GET " + Arena.item("A-2"), fence(3))
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3))
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(Arena.count("held"), "2")
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample overdue() {
    var hold = aHold(3, "A-1").pastItsWindow();
    return restore("a hold past its window, for the sweep to end", hold)
        .after(Arena.seeding().commands())
        .answers("RESTORED", "1", "0")
        .answeringAnew()
        .leaving(hold.record(), hold.text())
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3));
  }

  private static ScriptExample units() {
    var first = aHoldOf(4, 2).by("shop", "u2").leased(1, AHold.FAR_AHEAD, AHold.LEASE_MS);
    var second = aHoldOf(3, 3).pinned(5).noting("{\"a\":1}").pastItsWindow();
    var now = Clock.systemUTC().millis();
    return restore("holds of units, none of which is in the way of another", first, second)
        .after(Arena.seeding().stocked("4 2/10").commands())
        .answers("RESTORED", "2", "0")
        .answeringAnew()
        .leaving(first.record(), first.leased(now, AHold.FAR_AHEAD, AHold.LEASE_MS).text())
        .leaving(second.record(), second.text())
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(3) + ", " + fence(4))
        .leaving("HMGET %s who:shop\tu1 who:shop\tu2".formatted(Arena.META), "1, 1")
        .leaving("HMGET %s held sold".formatted(Arena.META), "5, 2")
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample survivingUnits() {
    var ended = aHoldOf(4, 2).ended("RELEASED", "");
    return restore("holds of units that have survived or ended here", aHoldOf(4, 2), aHoldOf(3, 3))
        .after(Arena.seeding().stocked("4 2/10").with(aHoldOf(3, 3), ended).commands())
        .answers("RESTORED", "0", "0")
        .leaving(ended.record(), ended.text())
        .leaving(Arena.count("held"), "3");
  }

  private static List<ScriptExample> known() {
    return List.of(
        restore("a hold that has survived", aHold(3, "A-1"))
            .after(Arena.seeding().with(aHold(3, "A-1")).commands())
            .answers("RESTORED", "0", "0")
            .leaving(Arena.count("held"), "1"),
        restore("a hold that has ended here, which Postgres has yet to hear", aHold(3, "A-1"))
            .after(Arena.seeding().with(aHold(3, "A-1").ended("RELEASED", "")).commands())
            .answers("RESTORED", "0", "0")
            .leaving("EXISTS " + Arena.item("A-1"), "0"),
        restore("an item that an ended hold has kept by mistake", aHold(5, "A-1"))
            .after(
                Arena.seeding()
                    .with(aHold(3, "A-1").ended("RELEASED", ""))
                    .having("SET %s %s PX 50000".formatted(Arena.item("A-1"), fence(3)))
                    .commands())
            .answers("RESTORED", "1", "0")
            .answeringAnew()
            .leaving("GET " + Arena.item("A-1"), fence(5))
            .leaving("EXISTS " + Arena.JOURNAL, "0")
            .leaving(Arena.count("held"), "1"));
  }

  private static List<ScriptExample> beaten() {
    var lower = aHold(3, "A-1", "A-2").by("shop", "u2");
    var higher = aHold(9, "A-2", "A-3").by("shop", "u3");
    var middle = aHold(5, "A-4", "A-3");
    return List.of(
        restore("a higher and a lower fence of one item", higher, lower)
            .after(Arena.seeding().commands())
            .answers("RESTORED", "1", "1")
            .answeringAnew()
            .leaving("GET " + Arena.item("A-2"), fence(9))
            .leaving(lower.record(), lower.ended("EXPIRED", "LOST").text())
            .leaving("EXISTS " + Arena.item("A-1"), "0")
            .leaving(Arena.REQUESTERS, "shop\tu3, 1")
            .leaving(Arena.count("held"), "2")
            .leaving(Arena.ENTRIES, lost(lower)),
        restore("a hold over a survivor of a lower fence", higher)
            .after(Arena.seeding().with(lower).commands())
            .answers("RESTORED", "1", "0")
            .answeringAnew()
            .leaving(lower.record(), lower.ended("EXPIRED", "LOST").text())
            .leaving("EXISTS " + Arena.item("A-1"), "0")
            .leaving(Arena.REQUESTERS, "shop\tu3, 1")
            .leaving(Arena.count("held"), "2")
            .leaving(Arena.ENTRIES, lost(lower)),
        restore("a beaten hold, which takes nobody with it", middle)
            .after(Arena.seeding().with(higher, aHold(2, "A-4")).commands())
            .answers("RESTORED", "0", "1")
            .answeringAnew()
            .leaving(aHold(2).record(), aHold(2, "A-4").text())
            .leaving("GET " + Arena.item("A-4"), fence(2))
            .leaving(Arena.count("held"), "3")
            .leaving(Arena.ENTRIES, lost(middle)),
        restore("a hold of two items over one survivor of both", aHold(9, "A-1", "A-2"))
            .after(Arena.seeding().with(lower).commands())
            .answers("RESTORED", "1", "0")
            .answeringAnew()
            .leaving(Arena.count("held"), "2")
            .leaving(Arena.count("lines"), "41"));
  }

  private static String lost(AHold hold) {
    return Arena.entryOf(Arena.UNCAUSED + "EXPIRED\t" + hold.ended("EXPIRED", "LOST").text());
  }

  private static ScriptExample restore(String title, AHold... holds) {
    return example(title)
        .arguments(
            Stream.concat(Stream.of(Arena.OURS, Arena.EPOCH), Stream.of(holds).map(AHold::text))
                .toArray(String[]::new));
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
