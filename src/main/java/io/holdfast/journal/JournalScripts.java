package io.holdfast.journal;

import io.holdfast.journal.JournalScripts.ReadOutcome.Lines;
import io.holdfast.journal.JournalScripts.ReadOutcome.Unseeded;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/// The scripts of `redis-scripts/journal/`, one blocking method each. Throws `RedisUnavailable`;
/// every call may be repeated.
@Singleton
final class JournalScripts {
  private static final Script READ = Script.named("journal/read");
  private static final Script NEWEST = Script.named("journal/newest");
  private static final Script TRIM = Script.named("journal/trim");
  private static final Script ALIGN = Script.named("journal/align");

  private final RedisScripts scripts;

  JournalScripts(RedisScripts scripts) {
    this.scripts = scripts;
  }

  /// The outcome of reading a journal.
  sealed interface ReadOutcome {

    /// The lines of this epoch; possibly none.
    record Lines(Epoch epoch, List<JournalLine> lines) implements ReadOutcome {}

    /// Redis does not have the pool, or has it in another epoch.
    record Unseeded() implements ReadOutcome {}
  }

  /// Reads whole entries after the entry of `after`, with at least `lines` lines if there are so
  /// many.
  ReadOutcome read(PoolName pool, JournalPosition after, int lines) {
    var reply = await(scripts.call(READ, pool, after.entry(), Integer.toString(lines)));
    var head = reply.getFirst().split("\t");
    return switch (head[0]) {
      case "ENTRIES" -> lines(new Epoch(Long.parseLong(head[1])), reply);
      case "UNSEEDED" -> new Unseeded();
      default -> throw new IllegalStateException("journal/read answered " + head[0]);
    };
  }

  /// The position after the newest entry, `START` if there is none; empty if Redis does not have
  /// the pool.
  Optional<JournalPosition> end(PoolName pool) {
    var reply = await(scripts.call(NEWEST, pool)).getFirst().split("\t");
    return switch (reply[0]) {
      case "NEWEST" ->
          Optional.of(JournalPosition.ofEntry(JournalPosition.ofEntry(reply[1]).nextEntry()));
      case "EMPTY" -> Optional.of(JournalPosition.START);
      case "UNSEEDED" -> Optional.empty();
      default -> throw new IllegalStateException("journal/newest answered " + reply[0]);
    };
  }

  /// Deletes the entries up to that of `drained`, and these ended holds. Returns whether Redis has
  /// the pool.
  boolean trim(PoolName pool, JournalPosition drained, List<Fence> ended) {
    var arguments =
        Stream.concat(Stream.of(drained.nextEntry()), ended.stream().map(Fence::toString));
    return await(scripts.call(TRIM, pool, arguments.toArray(String[]::new)))
        .getFirst()
        .equals("TRIMMED");
  }

  /// Makes Redis number its next entry after that of `drained`. Returns whether Redis has the pool.
  boolean align(PoolName pool, JournalPosition drained) {
    return await(scripts.call(ALIGN, pool, drained.entry())).getFirst().equals("ALIGNED");
  }

  private static Lines lines(Epoch epoch, List<String> reply) {
    var lines = new ArrayList<JournalLine>();
    for (var i = 1; i < reply.size(); i += 2) {
      lines.addAll(
          JournalLine.parse(JournalPosition.ofEntry(reply.get(i)), epoch, reply.get(i + 1)));
    }
    return new Lines(epoch, lines);
  }

  private static List<String> await(CompletionStage<List<String>> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RedisUnavailable unavailable ? unavailable : e;
    }
  }
}
