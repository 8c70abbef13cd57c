package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.HoldSettleExamples.call;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

/// Windows of tokens that Postgres has decided on.
final class HoldSettleTokenExamples implements ScriptExamples {
  private static final AHold PINNED = aHold(3, "A-1", "A-2").pinned(1);
  private static final String SOLD = PINNED.ended("CONFIRMED", "").text();
  private static final String RUNNING =
      "confirm\t%s\tRUNNING\t%d".formatted(DIGEST, AHold.FAR_AHEAD);

  @Override
  public String script() {
    return "hold/settle";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(inTime(), committedLonger(), releasedLonger(), late(), behindTheNote());
  }

  private static ScriptExample committedLonger() {
    var twice = String.valueOf(2 * Arena.WINDOW_MS);
    return example("a refusal that Postgres replays for two windows")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", twice, "NONCE_UNBOUND\t", PINNED, ""))
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "NONCE_UNBOUND\t"))
        .leaving("GET " + Arena.key("committed:shop\ttok-1"), "confirm");
  }

  private static ScriptExample releasedLonger() {
    var twice = String.valueOf(2 * Arena.WINDOW_MS);
    var call = call("tok-1", twice, "NOT_HELD\t", PINNED, "");
    call[4] = "release";
    return example("a refused release of a token that had a longer window")
        .arguments(Arena.OURS)
        .andCalls(call)
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("release", "NOT_HELD\t"))
        .leaving(
            "HGET %s shop\ttok-1".formatted(Arena.key("kept")),
            Arena.entry("release", "NOT_HELD\t"))
        .leaving("EXISTS " + Arena.key("committed:shop\ttok-1"), "0");
  }

  /// Its window began in Postgres and is nearly over by now.
  private static ScriptExample inTime() {
    return example("an outcome that Redis is told of late")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "60000", "NONCE_UNBOUND\t", PINNED, ""))
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "NONCE_UNBOUND\t"))
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf("shop\ttok-1\tconfirm\t%s\t60000\tNONCE_UNBOUND\t".formatted(DIGEST)));
  }

  private static ScriptExample late() {
    return example("a sale whose window is over")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "0", "CONFIRMED\t" + SOLD, PINNED, SOLD))
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), "nothing")
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf("shop\ttok-1\tconfirm\t%s\t1\tCONFIRMED\t%s".formatted(DIGEST, SOLD)));
  }

  /// The answer to the first try was lost, and a second one was noted since, in a later bucket than
  /// that of the moment of the sale.
  private static ScriptExample behindTheNote() {
    return example("a sale of a window ago, whose commit was tried again a moment ago")
        .arguments(Arena.OURS)
        .andCalls(call("tok-1", "1000000", "CONFIRMED\t" + SOLD, PINNED, SOLD))
        .after(Arena.open().with(PINNED).spent("tok-1", 0, RUNNING).commands())
        .answers("SETTLED")
        .leaving(Arena.token("tok-1"), Arena.entry("confirm", "CONFIRMED\t" + SOLD));
  }
}
