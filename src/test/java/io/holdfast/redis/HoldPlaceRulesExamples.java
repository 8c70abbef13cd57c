package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.HoldPlaceExamples.held;
import static io.holdfast.redis.HoldPlaceExamples.lapsed;
import static io.holdfast.redis.HoldPlaceExamples.line;
import static io.holdfast.redis.HoldPlaceExamples.place;

import java.util.List;

/// Of a pool with times of its sale, with blocked items, or with a limit of items per requester.
final class HoldPlaceRulesExamples implements ScriptExamples {
  @Override
  public String script() {
    return "hold/place";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        ofItems(), CommonExamples.ofClosedSale(Arena::open, title -> place(title, "A-1")));
  }

  private static List<ScriptExample> ofItems() {
    var own = "HSET %s own:%s ␣%d=2".formatted(Arena.META, Arena.U1, Arena.fence(2));
    var blocked = "HSET %s item:A-1 4␣BLOCKED blocked 1".formatted(Arena.META);
    var marked = "HSET %s item:A-1 0␣BLOCKING␣%d␣me-1".formatted(Arena.META, AHold.FAR_AHEAD);
    return List.of(
        place("an item that is out of sale", "A-1", "A-2")
            .after(Arena.open().having(blocked).commands())
            .answers("TAKEN", "A-1")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("A-2"), "0"),
        place("a lone item that an operator is blocking", "A-1")
            .after(Arena.open().having(marked).commands())
            .answers("TAKEN", "A-1")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("A-1"), "0"),
        place("as many items as a requester may have", "A-1", "A-2")
            .after(Arena.open().having(Arena.itemsMax(4), own).commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving(
                Arena.OWN, (Arena.U1 + ",  %d=2 %d=2").formatted(Arena.fence(2), Arena.fence(13))),
        place("more items than a requester may have", "A-1", "A-2")
            .after(Arena.open().having(Arena.itemsMax(3), own).commands())
            .answers("ITEM_LIMIT", "3")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0")
            .leaving("EXISTS " + Arena.item("A-1"), "0")
            .leaving(Arena.ENTRIES, Arena.entryOf(line("ITEM_LIMIT\t3"))),
        place("a lone item beyond the limit", "A-1")
            .after(Arena.open().having(Arena.itemsMax(2), own).commands())
            .answers("ITEM_LIMIT", "2")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.item("A-1"), "0"),
        place("at the limit of items, but for the lapsed hold in the way", "A-1")
            .after(
                Arena.open()
                    .with(lapsed(3, "A-1"))
                    .having(
                        Arena.itemsMax(1),
                        "HSET %s own:%s ␣%d=1".formatted(Arena.META, Arena.U1, Arena.fence(3)))
                    .commands())
            .answers("HELD", held(13, "A-1"))
            .andThen("REPLAY")
            .leaving(Arena.OWN, (Arena.U1 + ",  %d=1").formatted(Arena.fence(13))));
  }
}
