package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldLookupExamples implements ScriptExamples {
  private static final AHold HOLD = aHold(3, "A-1");
  private static final String NO = "release\t%s\tNOT_HELD".formatted(DIGEST);

  @Override
  public String script() {
    return "hold/lookup";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(kept(), over(), CommonExamples.ofUnseeded(HoldLookupExamples::lookup));
  }

  private static List<ScriptExample> kept() {
    var yes = "place_hold\t%s\tHELD\t%d\t%s".formatted(DIGEST, HOLD.fence(), AHold.SALT);
    var whole = "place_hold\t%s\tHELD\t%s".formatted(DIGEST, HOLD.text());
    return List.of(
        lookup("a token that got a hold")
            .after(Arena.open().with(HOLD).spent("tok-1", yes).commands())
            .answers("SPENT", "<moment>", yes + "\u001e" + HOLD.text()),
        lookup("a token whose hold is in Postgres alone")
            .after(Arena.open().spent("tok-1", yes).commands())
            .answers("SPENT", "<moment>", yes + "\u001e"),
        lookup("a token that got a hold and is not kept in short")
            .after(Arena.open().with(HOLD).spent("tok-1", whole).commands())
            .answers("SPENT", "<moment>", whole + "\u001e"),
        lookup("a token that got nothing, one that was not used and one that got a hold")
            .andCalls("shop", "tok-2")
            .andCalls("shop", "tok-3")
            .after(Arena.open().with(HOLD).spent("tok-1", NO).spent("tok-3", yes).commands())
            .answers("SPENT", "<moment>", NO + "\u001e")
            .andAnswers("UNSPENT")
            .andAnswers("SPENT", "<moment>", yes + "\u001e" + HOLD.text()),
        lookup("a token whose window is nearly over")
            .after(Arena.open().spent("tok-1", Arena.WINDOW_MS - 60_000, NO).commands())
            .answers("SPENT"),
        lookup("a token whose commit runs")
            .after(Arena.open().spent("tok-1", running(AHold.FAR_AHEAD)).commands())
            .answers("SPENT"));
  }

  private static List<ScriptExample> over() {
    return List.of(
        lookup("a token that was not used").after(Arena.open().commands()).answers("UNSPENT"),
        lookup("a token whose window is over")
            .after(Arena.open().spent("tok-1", Arena.WINDOW_MS, NO).commands())
            .answers("UNSPENT"),
        lookup("a token whose commit has come to nothing")
            .after(Arena.open().spent("tok-1", running(AHold.LONG_AGO)).commands())
            .answers("UNSPENT"));
  }

  private static String running(long untilMs) {
    return "confirm\t%s\tRUNNING\t%d".formatted(DIGEST, untilMs);
  }

  private static ScriptExample lookup(String title) {
    return example(title).arguments(Arena.OURS).andCalls("shop", "tok-1");
  }
}
