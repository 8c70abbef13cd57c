package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.ATicket.aTicket;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

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
            unname("tickets, one of which is over", "TICKETS", "u1")
                .after(Arena.open().having(over.commands()).having(inside.commands()).commands())
                .answers("SCANNED", "0")
                .leaving("HLEN " + Arena.key("tickets"), "1")),
        CommonExamples.ofUnseeded(title -> unname(title, "0", "u1")));
  }

  private static String own(String hash, int fence) {
    return "HSET %s own:%s ␣%d=1".formatted(Arena.META, hash, Arena.fence(fence));
  }

  private static ScriptExample unname(String title, String part, String requester) {
    return example(title).arguments(Arena.OURS, part, "0", "100", "shop", requester, "shredded:7");
  }
}
