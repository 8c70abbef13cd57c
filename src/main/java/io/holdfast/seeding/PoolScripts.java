package io.holdfast.seeding;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Calls the scripts of `redis-scripts/pool/`, one method each, and reads their replies. A call
/// fails with `RedisUnavailable`. Every call may be repeated, as the *Replay* line of its script
/// says. Methods without a `CompletionStage` wait for the reply.
@Singleton
public final class PoolScripts {
  private static final Script SEED = Script.named("pool/seed");
  private static final Script LOAD = Script.named("pool/load");
  private static final Script SURVIVORS = Script.named("pool/survivors");
  private static final Script RECOUNT = Script.named("pool/recount");
  private static final Script RESTORE = Script.named("pool/restore");
  private static final Script RESTORE_TOKENS = Script.named("pool/restore-tokens");
  private static final Script RESTORE_TICKETS = Script.named("waiting/restore");
  private static final Script OPEN = Script.named("pool/open");
  private static final Script HELD = Script.named("pool/held");
  private static final Script COUNT = Script.named("pool/count");
  private static final Script LIMIT = Script.named("pool/limit");
  private static final Script COMPARE = Script.named("pool/compare");
  private static final Script RULES = Script.named("pool/rules");
  private static final Script OWNED = Script.named("pool/owned");
  private static final Script BLOCK = Script.named("pool/block");
  private static final Script STATUS = Script.named("pool/status");

  private final RedisScripts scripts;

  public PoolScripts(RedisScripts scripts) {
    this.scripts = scripts;
  }

  /// The result of `seed`.
  sealed interface Seed {
    /// The caller has to load and open the epoch.
    ///
    /// @param runId of the server that the epoch has begun on
    record Begun(String runId) implements Seed {}

    record AlreadyOpen() implements Seed {}

    /// There is a newer epoch, or this one on another server.
    record Superseded() implements Seed {}
  }

  /// @param isClosing whether an auction takes no more bids
  Seed seed(Pool pool, Epoch epoch, long drainedMs, String cause, boolean isClosing) {
    var terms = pool.auction();
    var reply =
        fields(
            scripts.call(
                SEED,
                pool.name(),
                epoch.toString(),
                pool.kind().name(),
                Long.toString(drainedMs),
                cause,
                Long.toString(pool.policy().idempotencyWindow().toMillis()),
                terms == null ? "" : Long.toString(terms.closesAt().toEpochMilli()),
                isClosing ? "CLOSING" : "",
                pool.rules()));
    return switch (reply[0]) {
      case "SEEDING" -> new Seed.Begun(reply[1]);
      case "OPEN" -> new Seed.AlreadyOpen();
      case "SUPERSEDED" -> new Seed.Superseded();
      case String other -> throw unknown(other);
    };
  }

  /// The steps of a seeding fail with this once a newer epoch has begun or another server answers.
  static final class Superseded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Superseded() {
      super(null, null, false, false);
    }
  }

  /// @param entries item and value by turns
  void load(PoolName pool, Epoch epoch, List<String> entries) {
    step(LOAD, pool, epoch, entries);
  }

  /// @param sales caller, requester, fence and number of items or units by turns
  void owned(PoolName pool, Epoch epoch, List<String> sales) {
    step(OWNED, pool, epoch, sales);
  }

  List<Fence> survivors(PoolName pool, Epoch epoch, int from, int to) {
    var range = List.of(Integer.toString(from), Integer.toString(to));
    return lines(step(SURVIVORS, pool, epoch, range)[1]).map(Fence::parse).toList();
  }

  /// @param verdicts fence and KEEP or DROP by turns
  void recount(PoolName pool, Epoch epoch, List<String> verdicts) {
    step(RECOUNT, pool, epoch, verdicts);
  }

  /// @param lost holds that were not restored, because a newer hold has their items
  record Restored(int restored, int lost) {}

  Restored restore(PoolName pool, Epoch epoch, List<String> records) {
    var reply = step(RESTORE, pool, epoch, records);
    return new Restored(Integer.parseInt(reply[1]), Integer.parseInt(reply[2]));
  }

  /// @param entries caller, token, value and the end of its window, in ms, by turns
  void restoreTokens(PoolName pool, Epoch epoch, List<String> entries) {
    step(RESTORE_TOKENS, pool, epoch, entries);
  }

  /// @param arguments grace in ms, then record and kind of each ticket by turns
  public void restoreTickets(PoolName pool, Epoch epoch, List<String> arguments) {
    step(RESTORE_TICKETS, pool, epoch, arguments);
  }

  private String[] step(Script script, PoolName pool, Epoch epoch, List<String> arguments) {
    var all = Stream.concat(Stream.of(epoch.toString()), arguments.stream());
    var reply = fields(scripts.call(script, pool, all.toArray(String[]::new)));
    if (reply[0].equals("SUPERSEDED")) {
      throw new Superseded();
    }
    return reply;
  }

  /// Returns false if the epoch was superseded.
  boolean open(PoolName pool, Epoch epoch) {
    return fields(scripts.call(OPEN, pool, epoch.toString()))[0].equals("OPEN");
  }

  /// A part of the held items of a pool.
  ///
  /// @param holds how many holds were read
  public record HeldPart(PoolCounts counts, int holds, List<String> items) {}

  /// Returns null if the pool is not open.
  public @Nullable HeldPart held(PoolName pool, int from, int to) {
    var reply = fields(scripts.call(HELD, pool, Integer.toString(from), Integer.toString(to)));
    return reply[0].equals("ITEMS")
        ? new HeldPart(
            counts(reply, "", reply[5], "0"), Integer.parseInt(reply[6]), lines(reply[7]).toList())
        : null;
  }

  /// The result of `count`.
  public sealed interface Count {
    record Counts(PoolCounts counts) implements Count {}

    /// @param why LOST, MOVED or SEEDING
    record NotOpen(String why) implements Count {}
  }

  public CompletionStage<Count> count(PoolName pool) {
    return scripts.call(COUNT, pool).thenApply(PoolScripts::readCount);
  }

  private static Count readCount(List<String> texts) {
    var reply = split(texts);
    return reply[0].equals("COUNTS")
        ? new Count.Counts(counts(reply, reply[5], reply[6], reply[7]))
        : new Count.NotOpen(reply[1]);
  }

  /// The result of `limit`.
  public sealed interface Limit {
    record Limited() implements Limit {}

    /// @param units that are held or sold
    record InUse(long units) implements Limit {}

    /// @param why LOST, MOVED or SEEDING
    record NotOpen(String why) implements Limit {}
  }

  /// Grants no more units of a stock than this until `lift`, unless more are in use. The lowest of
  /// several limits counts.
  ///
  /// @param owner of the limit; no two changes have the same
  public Limit limit(PoolName pool, String owner, long capacity) {
    return limit(pool, owner, Long.toString(capacity));
  }

  /// The capacity of Postgres is in Redis, so the limit of this owner is not needed any more.
  public void lift(PoolName pool, String owner) {
    limit(pool, owner, "");
  }

  private Limit limit(PoolName pool, String owner, String capacity) {
    var reply = fields(scripts.call(LIMIT, pool, owner, capacity));
    return switch (reply[0]) {
      case "LIMITED" -> new Limit.Limited();
      case "IN_USE" -> new Limit.InUse(Long.parseLong(reply[1]));
      default -> new Limit.NotOpen(reply[1]);
    };
  }

  /// Tells Redis the rules of a changed pool. Newer ones stay. A pool whose loading has not begun
  /// gets its rules then.
  public void rules(Pool pool) {
    if (!pool.rules().isEmpty()) {
      fields(scripts.call(RULES, pool.name(), pool.rules()));
    }
  }

  /// The result of `mark`.
  public sealed interface Mark {
    /// Nobody can hold the items.
    ///
    /// @param epoch in which that is so
    /// @param until when Postgres has to decide, by Redis' clock
    /// @param outOfSale items that are blocked already and have no mark
    record Marked(Epoch epoch, Instant until, List<String> outOfSale) implements Mark {}

    /// Some of the items are held or sold, and none is marked.
    record Taken(List<String> items) implements Mark {}

    record NoSuchItem(List<String> items) implements Mark {}

    /// Another call is blocking one of the items.
    record Busy() implements Mark {}

    /// @param why LOST, MOVED or SEEDING
    record NotOpen(String why) implements Mark {}
  }

  /// Keeps holds away from items that are about to be blocked, unless one of them is taken.
  ///
  /// @param owner of the marks; no two calls have the same
  public Mark mark(PoolName pool, String owner, List<String> items) {
    var reply = fields(block(pool, "MARK", owner, items));
    return switch (reply[0]) {
      case "MARKED" ->
          new Mark.Marked(
              new Epoch(Long.parseLong(reply[1])),
              Instant.ofEpochMilli(Long.parseLong(reply[2])),
              lines(reply[3]).toList());
      case "TAKEN" -> new Mark.Taken(lines(reply[1]).toList());
      case "NO_SUCH_ITEM" -> new Mark.NoSuchItem(lines(reply[1]).toList());
      case "BUSY" -> new Mark.Busy();
      case "UNSEEDED" -> new Mark.NotOpen(reply[1]);
      case String other -> throw unknown(other);
    };
  }

  /// Ends the marks of a call that Postgres has refused.
  public void unmark(PoolName pool, String owner, List<String> items) {
    ScriptReplies.await(block(pool, "LIFT", owner, items));
  }

  private CompletionStage<List<String>> block(
      PoolName pool, String verb, String owner, List<String> items) {
    var all = Stream.concat(Stream.of(verb, owner), items.stream());
    return scripts.call(BLOCK, pool, all.toArray(String[]::new));
  }

  /// Whether a pool has work.
  ///
  /// @param dueMs when its first hold is due; null if there is none
  record Status(boolean isOpen, boolean isSeeding, boolean hasLines, @Nullable Long dueMs) {}

  CompletionStage<Status> status(PoolName pool) {
    return scripts.call(STATUS, pool).thenApply(PoolScripts::readStatus);
  }

  private static Status readStatus(List<String> reply) {
    var due = reply.get(3);
    return new Status(
        reply.get(1).equals("OPEN"),
        reply.get(1).equals("SEEDING"),
        !reply.get(2).equals("0"),
        due.isEmpty() ? null : Long.valueOf(due));
  }

  /// Returns the number of corrected items, or empty if the pool is not open.
  ///
  /// @param entries item and value by turns
  public OptionalLong compare(PoolName pool, List<String> entries) {
    var reply = fields(scripts.call(COMPARE, pool, entries.toArray(String[]::new)));
    return reply[0].equals("COMPARED")
        ? OptionalLong.of(Long.parseLong(reply[1]))
        : OptionalLong.empty();
  }

  private static String[] fields(CompletionStage<List<String>> call) {
    return split(ScriptReplies.await(call));
  }

  private static String[] split(List<String> texts) {
    return texts.getFirst().split("\t", -1);
  }

  private static Stream<String> lines(String field) {
    return field.isEmpty() ? Stream.empty() : Stream.of(field.split("\n"));
  }

  /// Fields after the word: epoch, version, held and sold.
  private static PoolCounts counts(String[] fields, String capacity, String blocked, String rules) {
    return new PoolCounts(
        Long.parseLong(fields[1]),
        Long.parseLong(fields[2]),
        Long.parseLong(fields[3]),
        Long.parseLong(fields[4]),
        capacity.isEmpty() ? null : Long.valueOf(capacity),
        Long.parseLong(blocked),
        Long.parseLong(rules));
  }

  private static IllegalArgumentException unknown(String word) {
    return new IllegalArgumentException("a script replied " + word);
  }
}
