package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class PoolSeedExamples implements ScriptExamples {
  @Override
  public String script() {
    return "pool/seed";
  }

  @Override
  public List<ScriptExample> examples() {
    return CommonExamples.together(begun(), journalled(), notBegun());
  }

  private static List<ScriptExample> begun() {
    return List.of(
        seed("an unknown pool", "7", "0")
            .answers("SEEDING", Arena.OURS)
            .leaving("HMGET %s state kind epoch seq".formatted(Arena.META), "SEEDING, SEATS, 7, 0")
            .leaving("HMGET %s held sold lines window".formatted(Arena.META), "0, 0, 1, 3600000")
            .leaving(Arena.ENTRIES, "<id>, lines, " + line(7)),
        example("a pool with rules")
            .arguments(
                Arena.OURS, "7", "SEATS", "0", "LOST", "" + Arena.WINDOW_MS, "", "", "2\t0\t9\t4")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.count("rules"), "2\t0\t9\t4"),
        seed("an epoch that lies far ahead", "2097151", "0")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.count("epoch"), "2097151"),
        seed("over an older epoch", "8", "0")
            .after(Arena.elsewhere().with(aHold(3, "A-1")).commands())
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.count("held"), "0")
            .leaving(Arena.ITEMS, "")
            .leaving(Arena.REQUESTERS, "")
            .leaving("ZCARD " + Arena.DUE, "1")
            .leaving(aHold(3).record(), aHold(3, "A-1").text()),
        auction("an auction", "4000000000000", "")
            .answers("SEEDING", Arena.OURS)
            .leaving("HMGET %s kind closes_at".formatted(Arena.META), "AUCTION, 4000000000000"),
        auction("an auction whose bids survive", "4000000000000", "")
            .after(Arena.elsewhere().with(AHold.aBid(3, 500)).commands())
            .answers("SEEDING", Arena.OURS)
            .leaving("EXISTS " + Arena.BIDS, "0")
            .leaving("FIELDS %s bid:".formatted(Arena.META), "")
            .leaving(AHold.aBid(3, 500).record(), AHold.aBid(3, 500).text()),
        auction("an auction that is being closed before its time", "4000000000000", "CLOSING")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.count("closes_at"), "<moment>"),
        auction("an auction that is being closed after its time", "1600000000000", "CLOSING")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.count("closes_at"), "1600000000000"));
  }

  private static List<ScriptExample> journalled() {
    return List.of(
        seed("with a journal that Postgres has in part", "7", "1700000000000")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.ENTRIES, "<id>, lines, " + line(7)),
        seed("with a cursor ahead of the clock", "7", "4000000000000")
            .answers("SEEDING", Arena.OURS)
            .leaving(Arena.ENTRIES, "4000000000001-0, lines, " + line(7)),
        seed(
                "with a journal ahead of the cursor, and that ahead of the clock",
                "8",
                "4000000000000")
            .after(
                Arena.elsewhere()
                    .having("XADD %s 4100000000000-3 lines x".formatted(Arena.JOURNAL))
                    .commands())
            .answers("SEEDING", Arena.OURS)
            .leaving(
                Arena.ENTRIES, "4100000000000-3, lines, x, 4100000000000-4, lines, " + line(8)));
  }

  private static List<ScriptExample> notBegun() {
    return List.of(
        seed("its own epoch", "7", "0")
            .after(Arena.seeding().commands())
            .answers("SEEDING", Arena.OURS),
        seed("its own epoch, opened", "7", "0").after(Arena.open().commands()).answers("OPEN"),
        seed("under a newer one", "6", "0")
            .after(Arena.seeding().commands())
            .answers("SUPERSEDED", "7"),
        seed("its epoch elsewhere", "7", "0")
            .after(Arena.elsewhere().commands())
            .answers("SUPERSEDED", "7")
            .leaving("EXISTS " + Arena.JOURNAL, "0"));
  }

  private static ScriptExample seed(String title, String epoch, String drainedMs) {
    return example(title)
        .arguments(Arena.OURS, epoch, "SEATS", drainedMs, "LOST", "" + Arena.WINDOW_MS, "", "", "");
  }

  private static ScriptExample auction(String title, String closesAt, String closing) {
    return example(title)
        .arguments(
            Arena.OURS, "8", "AUCTION", "0", "LOST", "" + Arena.WINDOW_MS, closesAt, closing, "");
  }

  private static String line(int epoch) {
    return epoch + "\t<moment>\t0\u001e" + Arena.UNCAUSED + "SEEDING\tLOST";
  }
}
