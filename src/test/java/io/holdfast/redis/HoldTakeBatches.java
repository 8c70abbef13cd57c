package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.HoldTakeExamples.call;
import static io.holdfast.redis.HoldTakeExamples.held;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

/// A call sees what those before it in its batch have done.
final class HoldTakeBatches implements ScriptExamples {
  private static final String NUMBERS =
      "HMGET %s seq held sold version lines".formatted(Arena.META);

  @Override
  public String script() {
    return "hold/take";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(lastUnits(), token(), collision(), requester(), lapsed(), lastFence());
  }

  private static ScriptExample lastUnits() {
    return batch("the last five units, by three requesters of whom one wants too many")
        .andCalls(call("tok-1", "u1", "3", ""))
        .andCalls(call("tok-2", "u2", "3", ""))
        .andCalls(call("tok-3", "u3", "2", ""))
        .andCalls(call("tok-4", "u4", "1", ""))
        .after(Arena.stock("4 5/10").commands())
        .answers("HELD", held(13, "u1", "tok-1", "3"))
        .andAnswers("TAKEN", "")
        .andAnswers("HELD", held(14, "u3", "tok-3", "2"))
        .andAnswers("TAKEN", "")
        .andThen("REPLAY")
        .leaving(NUMBERS, "14, 5, 5, 22, 44")
        .leaving("ZCARD " + Arena.DUE, "2")
        .leaving("HLEN " + Arena.HOLDS, "2")
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf(
                line("tok-1", "HELD\t" + held(13, "u1", "tok-1", "3")),
                line("tok-2", "TAKEN\t"),
                line("tok-3", "HELD\t" + held(14, "u3", "tok-3", "2")),
                line("tok-4", "TAKEN\t")));
  }

  private static ScriptExample token() {
    return batch("one token twice")
        .andCalls(call("tok-1", "u1", "3", ""))
        .andCalls(call("tok-1", "u1", "3", ""))
        .after(Arena.stock("4 5/10").commands())
        .answers("HELD", held(13, "u1", "tok-1", "3"))
        .andAnswers("REPLAY", "HELD", held(13, "u1", "tok-1", "3"))
        .andThen("REPLAY")
        .leaving(NUMBERS, "13, 3, 5, 21, 41");
  }

  private static ScriptExample collision() {
    var other = call("tok-1", "u1", "2", "");
    other[2] = CommonExamples.OTHER_DIGEST;
    return batch("one token for two quantities")
        .andCalls(call("tok-1", "u1", "3", ""))
        .andCalls(other)
        .after(Arena.stock("4 5/10").commands())
        .answers("HELD")
        .andAnswers("COLLISION")
        .andThen("REPLAY", "COLLISION")
        .leaving(NUMBERS, "13, 3, 5, 21, 41");
  }

  private static ScriptExample requester() {
    return batch("one hold more than a requester may have")
        .andCalls(call("tok-1", "u1", "1", ""))
        .andCalls(call("tok-2", "u1", "1", ""))
        .andCalls(call("tok-3", "u1", "1", ""))
        .after(Arena.stock("4 5/10").commands())
        .answers("HELD")
        .andAnswers("HELD")
        .andAnswers("LIMIT", "2")
        .andThen("REPLAY")
        .leaving(Arena.REQUESTERS, "shop\tu1, 2")
        .leaving(NUMBERS, "14, 2, 5, 22, 43");
  }

  private static ScriptExample lapsed() {
    var lapsed = aHoldOf(3, 4).by("shop", "u9").lapsed();
    return batch("units that are free, and then those of a lapsed hold, which ends once")
        .andCalls(call("tok-1", "u1", "1", ""))
        .andCalls(call("tok-2", "u2", "3", ""))
        .andCalls(call("tok-3", "u3", "2", ""))
        .andCalls(call("tok-4", "u4", "1", ""))
        .after(Arena.stock("4 5/10").with(lapsed).commands())
        .answers("HELD")
        .andAnswers("HELD")
        .andAnswers("TAKEN", "")
        .andAnswers("HELD")
        .andThen("REPLAY")
        .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
        .leaving(NUMBERS, "15, 5, 5, 24, 45")
        .leaving("HGET %s who:shop\tu9".formatted(Arena.META), "nothing")
        .leaving("ZCARD " + Arena.DUE, "3");
  }

  private static ScriptExample lastFence() {
    return batch("the last fence of an epoch, and none")
        .andCalls(call("tok-1", "u1", "1", ""))
        .andCalls(call("tok-2", "u2", "1", ""))
        .after(Arena.open(Arena.EPOCH, 4294967294L).stocked("4 5/10").commands())
        .answers("HELD")
        .andAnswers("UNSEEDED", "FULL")
        .andThen("REPLAY", "UNSEEDED")
        .leaving(Arena.token("tok-2"), "nothing")
        .leaving(NUMBERS, "4294967295, 1, 5, 21, 41");
  }

  private static ScriptExample batch(String title) {
    return example(title).arguments(Arena.OURS, "1800000", "2");
  }

  private static String line(String token, String outcome) {
    return Arena.line("place_hold", token, outcome);
  }
}
