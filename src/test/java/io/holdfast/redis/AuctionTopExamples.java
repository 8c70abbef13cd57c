package io.holdfast.redis;

import static io.holdfast.redis.AHold.FAR_AHEAD;
import static io.holdfast.redis.AHold.LONG_AGO;
import static io.holdfast.redis.AHold.aBid;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class AuctionTopExamples implements ScriptExamples {
  @Override
  public String script() {
    return "auction/top";
  }

  @Override
  public List<ScriptExample> examples() {
    var first = aBid(3, 500).by("shop", "u1");
    var second = aBid(4, 500).by("shop", "u2");
    var third = aBid(5, 400).by("shop", "u3");
    return together(
        List.of(
            top("an auction without bids", "2")
                .after(Arena.auction(FAR_AHEAD).commands())
                .answers("TOP", "7", "20", "0", "" + FAR_AHEAD, "OPEN"),
            top("the first two of three, the earlier of equal ones first", "2")
                .after(Arena.auction(FAR_AHEAD).with(third, second, first).commands())
                .answers("TOP", "7", "20", "3", "" + FAR_AHEAD, "OPEN")
                .andAnswers(first.text())
                .andAnswers(second.text()),
            top("bids that have lapsed and are not swept", "2")
                .after(Arena.auction(FAR_AHEAD).with(first.lapsed(), second, third).commands())
                .answers("TOP", "7", "20", "3", "" + FAR_AHEAD, "OPEN")
                .andAnswers(second.text())
                .andAnswers(third.text()),
            top("a bid that was live at the close", "2")
                .after(
                    Arena.auction(LONG_AGO + 5)
                        .with(first.leased(LONG_AGO + 6, LONG_AGO + 9, 3))
                        .commands())
                .answers("TOP", "7", "20", "1", "" + (LONG_AGO + 5), "")
                .andAnswers(first.leased(LONG_AGO + 6, LONG_AGO + 9, 3).text())),
        CommonExamples.ofUnseeded(title -> top(title, "2")));
  }

  private static ScriptExample top(String title, String count) {
    return example(title).arguments(Arena.OURS, count);
  }
}
