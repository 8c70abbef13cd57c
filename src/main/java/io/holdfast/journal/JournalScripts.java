package io.holdfast.journal;

import io.holdfast.intent.IntentUnavailable;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.journal.ReadOutcome.Lines;
import io.holdfast.journal.ReadOutcome.Unseeded;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StreamId;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/// The scripts of `redis-scripts/journal/`, one method each, which waits for its answer. Fails with
/// `IntentUnavailable`; every call may be repeated as it is.
@Singleton
final class JournalScripts {
  private static final Script READ = Script.named("journal/read");
  private static final Script TRIM = Script.named("journal/trim");
  private static final Script ALIGN = Script.named("journal/align");

  private final Scripts scripts;

  JournalScripts(Scripts scripts) {
    this.scripts = scripts;
  }

  /// The lines behind `after` that are in Redis.
  ReadOutcome read(PoolName pool, StreamId after, int count) {
    var reply =
        await(scripts.call(READ, keys(pool, List.of()), after.toString(), Integer.toString(count)));
    return switch ((String) reply.getFirst()) {
      case "LINES" -> lines(reply);
      case "UNSEEDED" -> new Unseeded();
      default -> throw new IllegalStateException("journal/read answered " + reply.getFirst());
    };
  }

  /// Whether Redis has the pool and has forgotten the lines up to `drained` and these holds.
  boolean trim(PoolName pool, StreamId drained, List<Fence> ended) {
    var reply = await(scripts.call(TRIM, keys(pool, ended), drained.next().toString()));
    return reply.getFirst().equals("TRIMMED");
  }

  /// Whether Redis has the pool and numbers its next line behind `drained`.
  boolean align(PoolName pool, StreamId drained) {
    var reply = await(scripts.call(ALIGN, keys(pool, List.of()), drained.toString()));
    return reply.getFirst().equals("ALIGNED");
  }

  private static Lines lines(List<Object> reply) {
    var epoch = new Epoch(Long.parseLong((String) reply.get(1)));
    var lines = new ArrayList<JournalLine>(reply.size() / 2);
    for (var i = 2; i < reply.size(); i += 2) {
      var id = StreamId.parse((String) reply.get(i));
      lines.add(JournalLine.parse(id, epoch, (String) reply.get(i + 1)));
    }
    return new Lines(epoch, lines);
  }

  private static String[] keys(PoolName pool, List<Fence> holds) {
    return Stream.concat(Stream.of("journal", "meta"), holds.stream().map(f -> "hold:" + f))
        .map(pool::key)
        .toArray(String[]::new);
  }

  private static List<Object> await(CompletionStage<List<Object>> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof IntentUnavailable unavailable ? unavailable : e;
    }
  }
}
