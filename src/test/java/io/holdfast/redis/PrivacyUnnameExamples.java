package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.ATicket.aTicket;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

final class PrivacyUnnameExamples implements ScriptExamples {
  private static final AHold HOLD = aHold(3, "A-1");

  /// The hash of shredded:7 of the shop.
  private static final String SHREDDED = "48cbcc2537113a2c81dd60d6df5d8f3f803d19a3";

  @Override
  public String script() {
    return "privacy/unname";
  }

  @Override
  public List<ScriptExample> examples() {
    var stored = "release\t%s\tRELEASED\t%s".formatted(DIGEST, HOLD.text());
    var unnamed = stored.replace("\tshop\tu1\t", "\tshop\tshredded:7\t");
    var kept = Arena.key("kept");
    var over = aTicket(2, "u1").admitted(AHold.LONG_AGO);
    var inside = aTicket(4, "u1").admitted(AHold.FAR_AHEAD);
    return together(
        List.of(
            unname("an outcome of the requester", "0", "u1")
                .after(Arena.open().spent("tok-1", stored).commands())
                .answers("SCANNED", "0")
                .leaving(Arena.token("tok-1"), "<moment>\t" + unnamed),
            unname("an outcome of somebody else", "0", "ben")
                .after(Arena.open().spent("tok-1", stored).commands())
                .answers("SCANNED", "0")
                .leaving(Arena.token("tok-1"), "<moment>\t" + stored),
            unname("a refusal", "0", "u1")
                .after(Arena.open().spent("tok-1", "release\tx\tNOT_HELD").commands())
                .answers("SCANNED", "0")
                .leaving(Arena.token("tok-1"), "<moment>\trelease\tx\tNOT_HELD"),
            unname("a bucket that is not there", "3", "u1")
                .after(Arena.open().commands())
                .answers("SCANNED", "0"),
            unname("what the requester has bought", "TICKETS", "u1")
                .after(
                    Arena.open()
                        .having(Arena.itemsMax(4), own(Arena.U1, 2), own(SHREDDED, 1))
                        .commands())
                .answers("SCANNED", "0")
                .leaving(
                    Arena.OWN,
                    (SHREDDED + ",  %d=1 %d=1").formatted(Arena.fence(1), Arena.fence(2))),
            unname("an outcome that is kept for longer than a window", "KEPT", "u1")
                .after(
                    Arena.open()
                        .having(
                            "HSET %s shop\ttok-1 %d\t%s"
                                .formatted(kept, AHold.FAR_AHEAD, stored.replace(' ', '␣')))
                        .commands())
                .answers("SCANNED", "0")
                .leaving("HGET %s shop\ttok-1".formatted(kept), AHold.FAR_AHEAD + "\t" + unnamed),
            unname("an outcome of a requester who has returned", "0", "u1", AHold.LONG_AGO)
                .after(Arena.open().spent("tok-1", stored).commands())
                .answers("SCANNED", "0")
                .leaving(Arena.token("tok-1"), "<moment>\t" + stored),
            unname("a live hold of a requester who has returned", "TICKETS", "u1", AHold.LONG_AGO)
                .after(
                    Arena.open()
                        .with(HOLD)
                        .having(Arena.itemsMax(4), own(Arena.U1, 2, 3))
                        .commands())
                .answers("SCANNED", "0")
                .leaving(
                    Arena.OWN,
                    "%s,  %d=1, %s,  %d=1"
                        .formatted(Arena.U1, Arena.fence(3), SHREDDED, Arena.fence(2))),
            unname("a ticket of a requester who has returned", "TICKETS", "u1", AHold.LONG_AGO - 1)
                .after(Arena.open().having(over.commands()).commands())
                .answers("SCANNED", "0")
                .leaving("HLEN " + Arena.key("tickets"), "1"),
            unname("tickets, one of which is over", "TICKETS", "u1")
                .after(Arena.open().having(over.commands()).having(inside.commands()).commands())
                .answers("SCANNED", "0")
                .leaving("HLEN " + Arena.key("tickets"), "1")),
        CommonExamples.ofUnseeded(title -> unname(title, "0", "u1")));
  }

  private static String own(String hash, int... fences) {
    var items =
        IntStream.of(fences)
            .mapToObj(fence -> "␣%d=1".formatted(Arena.fence(fence)))
            .collect(Collectors.joining());
    return "HSET %s own:%s %s".formatted(Arena.META, hash, items);
  }

  private static ScriptExample unname(String title, String part, String requester) {
    return unname(title, part, requester, AHold.FAR_AHEAD - 1);
  }

  private static ScriptExample unname(String title, String part, String requester, long until) {
    return example(title)
        .arguments(Arena.OURS, part, "0", "100", "shop", requester, "shredded:7", "" + until);
  }
}
