package io.holdfast.redis;

import static io.holdfast.redis.AHold.FAR_AHEAD;
import static io.holdfast.redis.AHold.LONG_AGO;
import static io.holdfast.redis.AHold.aBid;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class AuctionCloseExamples implements ScriptExamples {
  private static final String CLOSE = "HMGET %s closes_at last_sequence".formatted(Arena.META);

  @Override
  public String script() {
    return "auction/close";
  }

  @Override
  public List<ScriptExample> examples() {
    var last = String.valueOf(Arena.fence(12));
    return together(
        List.of(
            close("an auction whose time has come", "DUE")
                .after(Arena.auction(LONG_AGO + 5).with(aBid(3, 500)).commands())
                .answers("CLOSED", "7", last, "" + (LONG_AGO + 5), "0")
                .leaving(CLOSE, (LONG_AGO + 5) + ", " + last)
                .leaving(aBid(3, 500).record(), aBid(3, 500).text())
                .leaving(Arena.count("version"), "21")
                .leaving(
                    Arena.ENTRIES,
                    Arena.entryOf(Arena.UNCAUSED + "CLOSING\t" + last + "\t" + (LONG_AGO + 5))),
            close("an auction before its time", "DUE")
                .after(Arena.auction(FAR_AHEAD).commands())
                .answers("EARLY", "" + FAR_AHEAD)
                .leaving(CLOSE, FAR_AHEAD + ", nothing")
                .leaving("EXISTS " + Arena.JOURNAL, "0"),
            close("an auction before its time, for the operator", "NOW")
                .after(Arena.auction(FAR_AHEAD).commands())
                .answers("CLOSED", "7", last, "<moment>", "0")
                .leaving(CLOSE, "<moment>, " + last),
            close("an auction with a bid that lapsed before the close", "DUE")
                .after(Arena.auction(LONG_AGO + 5).with(aBid(3, 500).lapsed()).commands())
                .answers("CLOSED", "7", last, "" + (LONG_AGO + 5), "1"),
            close("an auction with a bid that lapsed after the close", "DUE")
                .after(
                    Arena.auction(LONG_AGO + 5)
                        .with(aBid(3, 500).leased(LONG_AGO + 6, LONG_AGO + 9, 3))
                        .commands())
                .answers("CLOSED", "7", last, "" + (LONG_AGO + 5), "0")),
        CommonExamples.ofUnseeded(title -> close(title, "NOW")));
  }

  private static ScriptExample close(String title, String when) {
    return example(title).arguments(Arena.OURS, when);
  }
}
