package io.holdfast.redis;

import static io.holdfast.redis.AHold.FAR_AHEAD;
import static io.holdfast.redis.AHold.LONG_AGO;
import static io.holdfast.redis.AHold.aBid;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

/// What the scripts of holds and pools do with bids, before and after the close of their auction.
final class BidExamples {
  private static final AHold BID = aBid(3, 500);
  private static final String BOARD = "ZRANGE %s 0 -1".formatted(Arena.BIDS);
  private static final String OWN = "FIELDS %s bid:".formatted(Arena.META);
  private static final String FENCE = String.valueOf(Arena.fence(3));
  private static final String MEMBER = "%016d".formatted(Arena.fence(3));

  /// Its lease ended after the close, and before now.
  private static final AHold FROZEN = BID.leased(LONG_AGO + 6, LONG_AGO + 9, 3);

  /// Its lease ended before the close.
  private static final AHold LAPSED = BID.leased(LONG_AGO + 4, LONG_AGO + 9, 3);

  private static final long CLOSED = LONG_AGO + 5;

  private BidExamples() {}

  static final class Release implements ScriptExamples {
    @Override
    public String script() {
      return "hold/release";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          release("a bid, before the close")
              .after(Arena.auction(FAR_AHEAD).with(BID).commands())
              .answers("RELEASED", BID.ended("RELEASED", "").text())
              .andThen("REPLAY")
              .leaving("EXISTS " + Arena.BIDS, "0")
              .leaving(OWN, "")
              .leaving("HMGET %s held version".formatted(Arena.META), "0, 21")
              .leaving("EXISTS " + Arena.FREED, "0"),
          release("a bid, after the close")
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("AUCTION_CLOSED")
              .andThen("REPLAY")
              .leaving(BID.record(), FROZEN.text())
              .leaving(BOARD, MEMBER),
          release("a bid that had lapsed at the close")
              .after(Arena.auction(CLOSED).with(LAPSED).commands())
              .answers("NOT_HELD")
              .andThen("REPLAY"));
    }

    private static ScriptExample release(String title) {
      return example(title)
          .arguments(Arena.OURS)
          .andCalls("shop", "tok-1", CommonExamples.DIGEST, FENCE, AHold.SALT, "u1");
    }
  }

  static final class Expire implements ScriptExamples {
    @Override
    public String script() {
      return "hold/expire";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          expire("a bid by force, before the close")
              .after(Arena.auction(FAR_AHEAD).with(BID).commands())
              .answers("EXPIRED", BID.ended("EXPIRED", "FORCED").text())
              .andThen("REPLAY")
              .leaving("EXISTS " + Arena.BIDS, "0"),
          expire("a bid by force, after the close")
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("AUCTION_CLOSED")
              .andThen("REPLAY")
              .leaving(BID.record(), FROZEN.text()));
    }

    private static ScriptExample expire(String title) {
      return example(title)
          .arguments(Arena.OURS)
          .andCalls("shop", "tok-1", CommonExamples.DIGEST, FENCE, AHold.SALT, "force");
    }
  }

  static final class Extend implements ScriptExamples {
    @Override
    public String script() {
      return "hold/extend";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          extend("a bid, after the close")
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("AUCTION_CLOSED")
              .leaving(BID.record(), FROZEN.text()),
          extend("a bid that had lapsed at the close")
              .after(Arena.auction(CLOSED).with(LAPSED).commands())
              .answers("ELAPSED"));
    }

    private static ScriptExample extend(String title) {
      return example(title).arguments(Arena.OURS).andCalls("shop", FENCE, AHold.SALT, "u1", FENCE);
    }
  }

  static final class Pin implements ScriptExamples {
    @Override
    public String script() {
      return "hold/pin";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          example("a bid, which only the close sells")
              .arguments(Arena.OURS, "5000", "250", "1000")
              .andCalls("shop", "tok-1", CommonExamples.DIGEST, FENCE, AHold.SALT, "u1", FENCE)
              .after(Arena.auction(FAR_AHEAD).with(BID).commands())
              .answers("AUCTION_OPEN")
              .leaving(BID.record(), BID.text()));
    }
  }

  static final class Sweep implements ScriptExamples {
    @Override
    public String script() {
      return "hold/sweep";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          example("a bid that was live at the close")
              .arguments(Arena.OURS, "10")
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("SWEPT", "<moment>")
              .leaving(BID.record(), FROZEN.text())
              .leaving(BOARD, MEMBER)
              .leaving("ZCOUNT %s -inf %d".formatted(Arena.DUE, CLOSED), "0"),
          example("a bid that had lapsed at the close")
              .arguments(Arena.OURS, "10")
              .after(Arena.auction(CLOSED).with(LAPSED).commands())
              .answers("SWEPT")
              .answeringAnew()
              .leaving(BID.record(), LAPSED.ended("EXPIRED", "LEASE").text())
              .leaving("EXISTS " + Arena.BIDS, "0")
              .leaving(OWN, ""));
    }
  }

  static final class Read implements ScriptExamples {
    @Override
    public String script() {
      return "hold/read";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          example("a bid after the close, when the clock of the auction stands still")
              .arguments(Arena.OURS, FENCE)
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("HOLDS", CLOSED + "\u001e" + FROZEN.text()));
    }
  }

  static final class Restore implements ScriptExamples {
    @Override
    public String script() {
      return "pool/restore";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          example("two bids")
              .arguments(Arena.OURS, "7", aBid(4, 300).by("shop", "u2").text(), BID.text())
              .after(Arena.seeding().auctioning(FAR_AHEAD).commands())
              .answers("RESTORED", "2", "0")
              .andThen("RESTORED")
              .leaving(BOARD, MEMBER + ", " + "%016d".formatted(Arena.fence(4)))
              .leaving("HMGET %s held bid:shop\tu1".formatted(Arena.META), "0, " + FENCE));
    }
  }

  static final class Recount implements ScriptExamples {
    @Override
    public String script() {
      return "pool/recount";
    }

    @Override
    public List<ScriptExample> examples() {
      return List.of(
          example("a bid that survived")
              .arguments(Arena.OURS, "7", FENCE, "KEEP")
              .after(
                  Arena.seeding()
                      .auctioning(FAR_AHEAD)
                      .with(BID)
                      .having("DEL " + Arena.BIDS, "HDEL %s bid:shop\tu1".formatted(Arena.META))
                      .commands())
              .answers("KEPT")
              .leaving(BOARD, MEMBER)
              .leaving(OWN, "shop\tu1, " + FENCE));
    }
  }

  static final class Settle implements ScriptExamples {
    @Override
    public String script() {
      return "hold/settle";
    }

    @Override
    public List<ScriptExample> examples() {
      var won = BID.ended("CONFIRMED", "").text().replace("\t\t\t\t500", "\tlot\t\t\t500");
      return List.of(
          example("a bid that has won the lot")
              .arguments(Arena.OURS)
              .andCalls("", "", "", "0", "", "", FENCE, won, "lot\t1 SOLD")
              .after(Arena.auction(CLOSED).with(FROZEN).commands())
              .answers("SETTLED")
              .leaving(BID.record(), won)
              .leaving("EXISTS " + Arena.BIDS, "0")
              .leaving("HMGET %s held sold".formatted(Arena.META), "0, 1"));
    }
  }
}
