package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.pool.HoldRecord;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;

/// Random bids, raises, withdrawals, heartbeats, sweeps and restarts, until the auction closes.
/// After each step the leader board is that of a simple model, and after the close nothing changes
/// any more. `HOLDFAST_TEST_SEED` in the environment repeats a run.
@ExtendWith(RealServers.class)
class AuctionRulesTest {
  private static final long START = 1_700_000_000_000L;
  private static final long LEASE_MS = 300_000;
  private static final long WINDOW_MS = 1_800_000;
  private static final int STEPS = 600;

  /// Some words are rare: the run goes on until each was seen, and fails if one never comes.
  private static final int STEPS_MAX = 10 * STEPS;

  private static final Set<String> WORDS =
      Set.of(
          "HELD", "SAME", "BID_TOO_LOW", "RELEASED", "EXTENDED", "ELAPSED", "REPLAY", "NOT_HELD");
  private static final int REQUESTERS = 12;

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_TEST_SEED"))
          .map(Long::valueOf)
          .orElseGet(() -> new Random().nextLong());
  private final Random random = new Random(seed);
  private final Map<String, Bid> live = new TreeMap<>();
  private final Map<String, Integer> words = new TreeMap<>();
  private RedisMemory memory;
  private long now = START;
  private long closesAt = START + 14_400_000;
  private boolean isClosed;
  private long epoch = 1;
  private long calls;

  private record Bid(long fence, long amount, long leaseUntil, long expiresAt) {}

  @RepeatedTest(4)
  @Requirement({"BR-Q-1", "BR-Q-2"})
  void whatever_is_called_the_highest_live_bid_leads_and_the_close_freezes_all(
      TestServers servers) {
    System.out.println("HOLDFAST_TEST_SEED=" + seed);
    servers.redis(
        redis -> {
          redis.flushdb();
          memory = new RedisMemory(redis);
          run();
          return redis;
        });

    assertThat(words).containsKeys(WORDS.toArray(String[]::new)).containsKey("AUCTION_CLOSED");
  }

  private void run() {
    memory.setClock(now);
    open();
    for (var step = 0; step < STEPS || step < STEPS_MAX && !hasSeenAll(); step++) {
      move();
      step();
      assertSame(step);
    }
    close();
    assertSame(STEPS);
    var frozen = board();
    for (var step = 0; step < STEPS / 4; step++) {
      move();
      step();
      assertSame(STEPS + step);
    }
    assertThat(board()).containsExactlyElementsOf(frozen);
  }

  private boolean hasSeenAll() {
    return words.keySet().containsAll(WORDS);
  }

  private void open() {
    memory.call(
        "pool/seed", epoch, "AUCTION", 0, "TEST", 60_000, closesAt, isClosed ? "CLOSING" : "", "");
    memory.call("pool/load", epoch, "lot", "0");
    var survivors = memory.call("pool/survivors", epoch, 0, -1).getFirst().split("\t", -1)[1];
    if (!survivors.isEmpty()) {
      var verdicts =
          Stream.of(survivors.split("\n")).flatMap(fence -> Stream.of(fence, "KEEP")).toList();
      memory.call(
          "pool/recount", Stream.concat(Stream.of((Object) epoch), verdicts.stream()).toArray());
    }
    memory.call("pool/open", epoch);
  }

  private void move() {
    now += random.nextInt(4) == 0 ? random.nextInt(120_000) : random.nextInt(2_000);
    if (!isClosed) {
      now = Math.min(now, closesAt - 1);
    }
    memory.setClock(now);
    live.values().removeIf(bid -> bid.leaseUntil <= Math.min(now, closesAt));
  }

  private void step() {
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> bid();
      case 4 -> release();
      case 5, 6, 7 -> extend();
      case 8 -> memory.call("hold/sweep", 100);
      default -> {
        if (random.nextInt(8) == 0 && !isClosed) {
          restart();
        }
      }
    }
  }

  private void bid() {
    var requester = requester();
    var amount = 1 + random.nextInt(30);
    var token = "t" + calls++;
    var reply = bid(token, requester, amount);
    var own = live.get(requester);
    if (isClosed) {
      expect(reply, "AUCTION_CLOSED");
    } else if (own != null && own.amount > amount) {
      expect(reply, "BID_TOO_LOW\t" + own.amount);
    } else {
      var isSame = own != null && own.amount == amount;
      var hold = HoldRecord.parse(reply.substring(reply.indexOf('\t') + 1));
      count(reply);
      assertThat(reply).startsWith(isSame ? "SAME\t" : "HELD\t");
      if (!isSame) {
        live.put(requester, new Bid(hold.fence().value(), amount, now + LEASE_MS, now + WINDOW_MS));
      }
      assertThat(hold.bid().isLeading())
          .isEqualTo(expected().getFirst().equals(hold.fence().value()));
    }
    if (random.nextInt(5) == 0) {
      assertThat(bid(token, requester, amount)).isEqualTo("REPLAY\t" + reply);
      words.merge("REPLAY", 1, Integer::sum);
    }
  }

  private String bid(String token, String requester, long amount) {
    return memory
        .call(
            "auction/bid",
            WINDOW_MS,
            1_000,
            "shop",
            token,
            "1:" + requester + amount,
            requester,
            LEASE_MS,
            AHold.SALT,
            amount)
        .getFirst();
  }

  private void release() {
    var requester = requester();
    var own = live.get(requester);
    if (own == null) {
      return;
    }
    var reply =
        memory
            .call("hold/release", "shop", "t" + calls++, "1:x", own.fence, AHold.SALT, requester)
            .getFirst();
    expect(reply, isClosed ? "AUCTION_CLOSED" : "RELEASED");
    if (!isClosed) {
      live.remove(requester);
      var again =
          memory
              .call("hold/release", "shop", "t" + calls++, "1:x", own.fence, AHold.SALT, requester)
              .getFirst();
      expect(again, "NOT_HELD");
    }
  }

  private void extend() {
    var requester = requester();
    var fence =
        memory.call("auction/top", 100).stream()
            .skip(1)
            .map(HoldRecord::parse)
            .filter(hold -> hold.requester().equals(requester))
            .map(hold -> hold.fence().value())
            .findFirst();
    var own = live.get(requester);
    assertThat(fence).isEqualTo(Optional.ofNullable(own).map(Bid::fence));
    if (own == null) {
      return;
    }
    var reply =
        memory.call("hold/extend", "shop", own.fence, AHold.SALT, requester, own.fence).getFirst();
    expect(reply, isClosed ? "AUCTION_CLOSED" : "EXTENDED");
    if (!isClosed) {
      var until = Math.min(now + LEASE_MS, own.expiresAt);
      live.put(requester, new Bid(own.fence, own.amount, until, own.expiresAt));
      beatTooLate(requester);
    }
  }

  /// A heartbeat of a bid whose lease is over, which the sweep may not have ended yet.
  private void beatTooLate(String requester) {
    if (random.nextInt(5) != 0) {
      return;
    }
    var own = live.get(requester);
    now = Math.max(now, Math.min(own.leaseUntil, closesAt - 1));
    memory.setClock(now);
    live.values().removeIf(bid -> bid.leaseUntil <= now);
    if (!live.containsKey(requester)) {
      expect(
          memory
              .call("hold/extend", "shop", own.fence, AHold.SALT, requester, own.fence)
              .getFirst(),
          "ELAPSED");
    }
  }

  /// The data survive, and all leases begin anew: heartbeats may be lost.
  private void restart() {
    memory.call("hold/sweep", 100);
    epoch++;
    open();
    live.replaceAll(
        (_, bid) ->
            new Bid(
                bid.fence,
                bid.amount,
                Math.max(bid.leaseUntil, Math.min(now + LEASE_MS, bid.expiresAt)),
                bid.expiresAt));
  }

  private void close() {
    var isEarly = random.nextBoolean();
    now = isEarly ? now : closesAt + random.nextInt(1_000);
    closesAt = Math.min(now, closesAt);
    memory.setClock(now);
    isClosed = true;
    live.values().removeIf(bid -> bid.leaseUntil <= closesAt);
    var reply = memory.call("auction/close", isEarly ? "NOW" : "DUE").getFirst().split("\t");
    assertThat(reply[0]).isEqualTo("CLOSED");
    assertThat(Long.parseLong(reply[3])).isEqualTo(closesAt);
    assertThat(board()).allMatch(fence -> fence <= Long.parseLong(reply[2]));
  }

  private void assertSame(int step) {
    assertThat(board()).as("step %d of %d", step, seed).containsExactlyElementsOf(expected());
  }

  private List<Long> board() {
    return memory.call("auction/top", 100).stream()
        .skip(1)
        .map(record -> HoldRecord.parse(record).fence().value())
        .toList();
  }

  private List<Long> expected() {
    return live.values().stream()
        .sorted(Comparator.comparingLong((Bid bid) -> -bid.amount).thenComparingLong(Bid::fence))
        .map(Bid::fence)
        .toList();
  }

  private String requester() {
    return "u" + random.nextInt(REQUESTERS);
  }

  private void expect(String reply, String beginning) {
    count(reply);
    assertThat(reply).startsWith(beginning);
  }

  private void count(String reply) {
    words.merge(reply.split("\t")[0], 1, Integer::sum);
  }
}
