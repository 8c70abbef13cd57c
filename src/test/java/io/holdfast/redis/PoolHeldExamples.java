package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolHeldExamples implements ScriptExamples {

  @Override
  public String script() {
    return "pool/held";
  }

  @Override
  public List<ScriptExample> examples() {
    var lapsed = aHold(3, "A-1").lapsed();
    var live = aHold(4, "A-2", "A-3");
    var later = aHold(5, "A-4").leased(AHold.FAR_AHEAD + 1, AHold.FAR_AHEAD + 2, 1);
    var pool = Arena.open().with(lapsed, live, later).having("ZADD %s 1 99".formatted(Arena.DUE));
    return together(
        List.of(
            held("what is held", "0", "99")
                .after(pool.commands())
                .answers("ITEMS", "7", "20", "4", "0", "0", "4", "A-2\nA-3\nA-4"),
            held("a part of it", "1", "2")
                .after(pool.commands())
                .answers("ITEMS", "7", "20", "4", "0", "0", "2", "A-2\nA-3"),
            held("a lapsed hold that is being committed", "0", "99")
                .after(Arena.open().with(lapsed.pinned(1)).commands())
                .answers("ITEMS", "7", "20", "1", "0", "0", "1", "A-1"),
            held("units, which have no names", "0", "99")
                .after(Arena.stock("4 2/10").with(aHoldOf(3, 3), aHoldOf(4, 1)).commands())
                .answers("ITEMS", "7", "20", "4", "2", "0", "2", ""),
            held("what is behind the last", "4", "99")
                .after(pool.commands())
                .answers("ITEMS", "7", "20", "4", "0", "0", "0", "")),
        CommonExamples.ofUnseeded(title -> held(title, "0", "99")));
  }

  private static ScriptExample held(String title, String from, String to) {
    return example(title).arguments(Arena.OURS, from, to);
  }
}
