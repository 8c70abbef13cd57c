package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/// The cases that many scripts have in common, put to each of them.
final class CommonExamples {
  static final String DIGEST = "1:" + "d".repeat(43);
  static final String OTHER_DIGEST = "1:" + "e".repeat(43);
  static final String TOKEN = "tok-1";

  private CommonExamples() {}

  /// Of a script that works in an open epoch only.
  ///
  /// @param call makes an example of a title: a call that would succeed
  static List<ScriptExample> ofUnseeded(Function<String, ScriptExample> call) {
    return List.of(
        call.apply("a pool that this memory knows nothing of").answers("UNSEEDED", "LOST"),
        call.apply("under another server")
            .after(Arena.elsewhere().commands())
            .answers("UNSEEDED", "MOVED")
            .keepingNothing(),
        call.apply("before the epoch is open")
            .after(Arena.seeding().commands())
            .answers("UNSEEDED", "SEEDING")
            .keepingNothing());
  }

  /// Of a script that fills an epoch.
  static List<ScriptExample> ofSuperseded(Function<String, ScriptExample> call) {
    return List.of(
        call.apply("a pool that this memory knows nothing of").answers("SUPERSEDED"),
        call.apply("an epoch that is open").after(Arena.open().commands()).answers("SUPERSEDED"),
        call.apply("under another server")
            .after(Arena.seeding().having("HSET %s run_id x".formatted(Arena.META)).commands())
            .answers("SUPERSEDED"),
        call.apply("another epoch")
            .after(Arena.seeding().having("HSET %s epoch 8".formatted(Arena.META)).commands())
            .answers("SUPERSEDED"));
  }

  /// Of a script that places holds in a pool with a waiting room.
  ///
  /// @param call makes an example of a title and a pass
  static List<ScriptExample> ofPass(
      Supplier<Arena> pool, BiFunction<String, String, ScriptExample> call) {
    var number = Arena.fence(5);
    var choosing = "ZADD %s %d %d".formatted(Arena.key("choosing"), AHold.FAR_AHEAD, number);
    var revoked = "ZADD %s %d %d".formatted(Arena.key("revoked"), AHold.FAR_AHEAD, number);
    var line = Arena.entryOf(Arena.line("place_hold", "NOT_ADMITTED"));
    return List.of(
        call.apply("without a valid pass", "-")
            .after(pool.get().commands())
            .answers("NOT_ADMITTED")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0")
            .leaving(Arena.ENTRIES, line),
        call.apply("with a pass that is over", number + " 1700000000")
            .after(pool.get().having(choosing).commands())
            .answers("NOT_ADMITTED")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0")
            .leaving("ZCARD " + Arena.key("choosing"), "1"),
        call.apply("with a pass that was revoked", number + " " + AHold.FAR_AHEAD / 1_000)
            .after(pool.get().having(choosing, revoked).commands())
            .answers("NOT_ADMITTED")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0"),
        call.apply("with a pass", number + " " + AHold.FAR_AHEAD / 1_000)
            .after(pool.get().having(choosing).commands())
            .answers("HELD")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "1")
            .leaving("ZCARD " + Arena.key("choosing"), "0"));
  }

  /// Of a script that places holds, outside of the times of the sale.
  ///
  /// @param call makes an example of a title: a call that would succeed
  static List<ScriptExample> ofClosedSale(
      Supplier<Arena> pool, Function<String, ScriptExample> call) {
    var early = Arena.rules(1, AHold.FAR_AHEAD, AHold.FAR_AHEAD + 1, "");
    return List.of(
        call.apply("after the end of the sale")
            .after(pool.get().having(Arena.salesOver()).commands())
            .answers("SALES_CLOSED")
            .andThen("REPLAY")
            .leaving("EXISTS " + Arena.HOLDS, "0")
            .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("place_hold", "SALES_CLOSED"))),
        call.apply("before the sale begins")
            .after(pool.get().having(early).commands())
            .answers("SALES_CLOSED")
            .andThen("REPLAY"),
        call.apply("under rules that cannot be read")
            .after(pool.get().having(Arena.unreadableRules()).commands())
            .answers("SALES_CLOSED")
            .andThen("REPLAY"),
        call.apply("while the sale is open")
            .after(pool.get().having(Arena.rules(1, 1, AHold.FAR_AHEAD, "")).commands())
            .answers("HELD")
            .andThen("REPLAY"));
  }

  /// Of a script that keeps an outcome under its token.
  static List<ScriptExample> ofToken(String action, Function<String, ScriptExample> call) {
    return List.of(
        call.apply("a token that has its outcome")
            .after(known(action, DIGEST))
            .answers("REPLAY", "TAKEN\tA-1\nA-2")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        call.apply("a token of other parameters")
            .after(known(action, OTHER_DIGEST))
            .answers("COLLISION")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        call.apply("a token whose window is nearly over")
            .after(known(action, DIGEST, Arena.WINDOW_MS - 60_000))
            .answers("REPLAY", "TAKEN\tA-1\nA-2"),
        call.apply("a token of other parameters whose window is nearly over")
            .after(known(action, OTHER_DIGEST, Arena.WINDOW_MS - 60_000))
            .answers("COLLISION"),
        call.apply("a token of another action")
            .after(known("confirm", DIGEST))
            .answers("COLLISION"),
        call.apply("a token under which a commit runs")
            .after(spent("confirm\t%s\tRUNNING\t%d".formatted(DIGEST, AHold.FAR_AHEAD), 1_000))
            .answers("COLLISION"),
        call.apply("a token of a commit whose outcome only Postgres has by now")
            .after(committed())
            .answers("COLLISION")
            .leaving("EXISTS " + Arena.JOURNAL, "0"),
        call.apply("a token of an action whose name goes on")
            .after(known(action + "d", DIGEST))
            .answers("COLLISION"),
        call.apply("a token of another action under another digest function")
            .after(known("confirm", "2:x"))
            .answers("COLLISION"),
        call.apply("a token under another digest function")
            .after(known(action, "2:" + "d".repeat(43)))
            .answers("DRIFT", "2"));
  }

  @SafeVarargs
  static List<ScriptExample> together(List<ScriptExample>... parts) {
    var all = new ArrayList<ScriptExample>();
    for (var part : parts) {
      all.addAll(part);
    }
    return all;
  }

  private static String[] known(String action, String digest) {
    return known(action, digest, 1_000);
  }

  private static String[] known(String action, String digest, long agoMs) {
    return spent("%s\t%s\tTAKEN\tA-1\nA-2".formatted(action, digest), agoMs);
  }

  private static String[] committed() {
    return Arena.open()
        .with(AHold.aHold(3, "A-1", "A-2"))
        .having("SET %s confirm".formatted(Arena.key("committed:shop\t" + TOKEN)))
        .commands();
  }

  private static String[] spent(String entry, long agoMs) {
    return Arena.open().with(AHold.aHold(3, "A-1", "A-2")).spent(TOKEN, agoMs, entry).commands();
  }
}
