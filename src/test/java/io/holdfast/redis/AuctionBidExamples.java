package io.holdfast.redis;

import static io.holdfast.redis.AHold.FAR_AHEAD;
import static io.holdfast.redis.AHold.LONG_AGO;
import static io.holdfast.redis.AHold.aBid;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class AuctionBidExamples implements ScriptExamples {
  private static final String NUMBERS =
      "HMGET %s seq held sold version lines".formatted(Arena.META);
  private static final String BOARD = "ZRANGE %s 0 -1".formatted(Arena.BIDS);
  private static final String OWN = "FIELDS %s bid:".formatted(Arena.META);

  @Override
  public String script() {
    return "auction/bid";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        placed(),
        raised(),
        refused(),
        lapsed(),
        CommonExamples.ofClosedSale(() -> Arena.auction(FAR_AHEAD), title -> bid(title, "500")),
        CommonExamples.ofToken("place_hold", title -> bid(title, "500")),
        CommonExamples.ofUnseeded(title -> bid(title, "500")));
  }

  private static List<ScriptExample> placed() {
    var other = aBid(3, 500).by("shop", "u2");
    return List.of(
        bid("the first bid", "500")
            .after(Arena.auction(FAR_AHEAD).commands())
            .answers("HELD", held(13, "500", "LEADING"))
            .andThen("REPLAY")
            .leaving(aBid(13, 500).record(), held(13, "500", "LEADING"))
            .leaving(BOARD, member(13))
            .leaving(OWN, "shop\tu1, " + fence(13))
            .leaving(Arena.REQUESTERS, "")
            .leaving(NUMBERS, "13, 0, 0, 21, 41")
            .leaving(Arena.token("tok-1"), entry("HELD\t" + held(13, "500", "LEADING")))
            .leaving(Arena.ENTRIES, Arena.entryOf(line("HELD\t" + held(13, "500", "LEADING")))),
        bid("a higher bid than another's", "501")
            .after(Arena.auction(FAR_AHEAD).with(other).commands())
            .answers("HELD", held(13, "501", "LEADING"))
            .andThen("REPLAY")
            .leaving(BOARD, member(13) + ", " + member(3)),
        bid("an amount that another offered before", "500")
            .after(Arena.auction(FAR_AHEAD).with(other).commands())
            .answers("HELD", held(13, "500", ""))
            .andThen("REPLAY")
            .leaving(BOARD, member(3) + ", " + member(13)),
        bid("a lower bid than another's", "499")
            .after(Arena.auction(FAR_AHEAD).with(other).commands())
            .answers("HELD", held(13, "499", ""))
            .andThen("REPLAY")
            .leaving(BOARD, member(3) + ", " + member(13)),
        bid("the highest amount and the highest fence of all", "1000000000000")
            .after(Arena.open("2097151", 4294967294L).auctioning(FAR_AHEAD).commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving(BOARD, "9007199254740991")
            .leaving(Arena.count("seq"), "4294967295"));
  }

  private static List<ScriptExample> raised() {
    var own = aBid(3, 500);
    var other = aBid(4, 700).by("shop", "u2");
    return List.of(
        bid("more than its own bid, which ends", "800")
            .after(Arena.auction(FAR_AHEAD).with(own, other).commands())
            .answers("HELD", held(13, "800", "LEADING"))
            .andThen("REPLAY")
            .leaving(own.record(), own.ended("RELEASED", "").text())
            .leaving(BOARD, member(13) + ", " + member(4))
            .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), fence(13) + ", " + fence(4))
            .leaving("HGET %s bid:shop\tu1".formatted(Arena.META), "" + fence(13))
            .leaving(
                Arena.ENTRIES,
                Arena.entryOf(
                    Arena.UNCAUSED + "RELEASED\t" + own.ended("RELEASED", "").text(),
                    line("HELD\t" + held(13, "800", "LEADING")))),
        bid("its own amount again, behind another", "500")
            .after(Arena.auction(FAR_AHEAD).with(own, other).commands())
            .answers("SAME", same(own, ""))
            .andThen("REPLAY")
            .leaving(own.record(), own.text())
            .leaving(NUMBERS, "12, 0, 0, 20, 41"),
        bid("its own amount again, as the leader", "500")
            .after(Arena.auction(FAR_AHEAD).with(own, aBid(4, 400).by("shop", "u2")).commands())
            .answers("SAME", same(own, "LEADING"))
            .andThen("REPLAY"),
        bid("less than its own bid", "499")
            .after(Arena.auction(FAR_AHEAD).with(own).commands())
            .answers("BID_TOO_LOW", "500")
            .andThen("REPLAY")
            .leaving(own.record(), own.text())
            .leaving(BOARD, member(3))
            .leaving(NUMBERS, "12, 0, 0, 20, 41")
            .leaving(Arena.ENTRIES, Arena.entryOf(line("BID_TOO_LOW\t500"))),
        pool("two bids of one requester in one batch", "10")
            .andCalls(call("tok-1", "u1", "500"))
            .andCalls(call("tok-2", "u1", "600"))
            .after(Arena.auction(FAR_AHEAD).commands())
            .answers("HELD")
            .andAnswers("HELD")
            .andThen("REPLAY")
            .leaving(BOARD, member(14))
            .leaving(Arena.REQUESTERS, ""));
  }

  private static List<ScriptExample> refused() {
    return List.of(
        bid("a bid after the close", "500")
            .after(Arena.auction(LONG_AGO).commands())
            .answers("AUCTION_CLOSED")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.BIDS, "0")
            .leaving(NUMBERS, "12, 0, 0, 20, 41")
            .leaving(Arena.ENTRIES, Arena.entryOf(line("AUCTION_CLOSED"))),
        pool("one bidder too many", "1")
            .andCalls(call("tok-1", "u1", "500"))
            .after(Arena.auction(FAR_AHEAD).with(aBid(3, 500).by("shop", "u2")).commands())
            .answers("AUCTION_FULL")
            .andThen("REPLAY")
            .leaving("ZCARD " + Arena.BIDS, "1"),
        pool("a raise where no more bidders are allowed", "1")
            .andCalls(call("tok-1", "u1", "600"))
            .after(Arena.auction(FAR_AHEAD).with(aBid(3, 500)).commands())
            .answers("HELD", held(13, "600", "LEADING"))
            .andThen("REPLAY"),
        bid("an epoch that has no fence left", "500")
            .after(Arena.open(Arena.EPOCH, 4294967295L).auctioning(FAR_AHEAD).commands())
            .answers("UNSEEDED", "FULL")
            .keepingNothing());
  }

  private static List<ScriptExample> lapsed() {
    var own = aBid(3, 900).lapsed();
    var leader = aBid(4, 800).by("shop", "u2").lapsed();
    return List.of(
        bid("less than its own bid, which has lapsed", "500")
            .after(Arena.auction(FAR_AHEAD).with(own).commands())
            .answers("HELD", held(13, "500", "LEADING"))
            .andThen("REPLAY")
            .leaving(own.record(), own.ended("EXPIRED", "LEASE").text())
            .leaving(BOARD, member(13)),
        bid("less than a leader that has lapsed", "500")
            .after(Arena.auction(FAR_AHEAD).with(leader, aBid(5, 300).by("shop", "u3")).commands())
            .answers("HELD", held(13, "500", "LEADING"))
            .andThen("REPLAY")
            .leaving(leader.record(), leader.ended("EXPIRED", "LEASE").text())
            .leaving(BOARD, member(13) + ", " + member(5)));
  }

  private static ScriptExample bid(String title, String amount) {
    return pool(title, "10").andCalls(call("tok-1", "u1", amount));
  }

  private static ScriptExample pool(String title, String bidsMax) {
    return example(title).arguments(Arena.OURS, "1800000", bidsMax);
  }

  private static String[] call(String token, String requester, String amount) {
    return new String[] {
      "shop", token, CommonExamples.DIGEST, requester, "300000", AHold.SALT, amount
    };
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }

  private static String member(int number) {
    return "%016d".formatted(Arena.fence(number));
  }

  private static String held(int number, String amount, String rank) {
    return "HELD\t%s\t%s\tshop\tu1\t<moment>\t<moment>\t<moment>\t300000\t\t\t0\ttok-1\t\t\t\t%s\t%s"
        .formatted(fence(number), AHold.SALT, amount, rank);
  }

  private static String same(AHold bid, String rank) {
    return bid.text().replaceFirst("[A-Z]*$", rank);
  }

  private static String entry(String outcome) {
    return Arena.entry("place_hold", outcome);
  }

  private static String line(String outcome) {
    return Arena.line("place_hold", outcome);
  }
}
