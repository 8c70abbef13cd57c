package io.holdfast.events.privacy;

import io.holdfast.activity.PoolIndex;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.PoolTakeover;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/// Removes a requester from Redis. An ended hold leaves Redis with its journal lines, and so does
/// an ended ticket. Outcomes that are stored under tokens stay for their window, and get the
/// pseudonym. What the person does after the shredding keeps the name. Throws `RedisUnavailable`;
/// every call may be repeated.
@Singleton
final class RedisErasure {
  private static final Script UNNAME = Script.named("privacy/unname");

  /// Entries of one script call: less than a millisecond of Redis.
  private static final String COUNT = "200";

  /// A bucket expires four windows after it was created, and the clock may have been set back.
  private static final List<String> PARTS =
      List.of("0", "1", "2", "3", "4", "5", "KEPT", "TICKETS");

  /// The shredding has a time of Postgres, the entries have times of Redis. A name that stays would
  /// be worse than a pseudonym in an answer to a person who returns within this time.
  private static final Duration CLOCKS_APART_MAX = Duration.ofSeconds(1);

  /// Pools of one read of the index.
  private static final int PAGE = 1_000;

  private static final String DONE = "0";

  private final RedisScripts scripts;
  private final JournalDrainer drainer;
  private final PoolIndex index;
  private final PoolTakeover pools;

  RedisErasure(RedisScripts scripts, JournalDrainer drainer, PoolIndex index, PoolTakeover pools) {
    this.scripts = scripts;
    this.drainer = drainer;
    this.index = index;
    this.pools = pools;
  }

  /// Brings what Redis has recorded so far to Postgres, so that a shredding finds it there. A pool
  /// leaves the index when it was drained, unless it was written to since; so every page has other
  /// pools, and the loop ends with them.
  void drain() {
    var drained = new HashSet<PoolName>();
    var emptied = Map.<PoolName, Long>of();
    var hasMore = true;
    while (hasMore) {
      emptied = index.drains(0, PAGE, emptied);
      var others = emptied.keySet().stream().filter(pool -> !drained.contains(pool)).toList();
      others.forEach(this::drain);
      drained.addAll(others);
      hasMore = emptied.size() == PAGE && !others.isEmpty();
    }
  }

  /// Replaces the requester in all stored outcomes of a pool. If Redis has lost the pool, it is
  /// loaded from Postgres at its next use, where the requester was replaced before.
  void erase(PoolName pool, Erasure erasure) {
    if (!drain(pool)) {
      return;
    }
    for (var part : PARTS) {
      var cursor = DONE;
      do {
        cursor = unname(pool, part, cursor, erasure);
      } while (!cursor.equals(DONE));
    }
  }

  /// Drains what the journal has now. A pool that has survived a restart of Redis is opened,
  /// because its data are neither drained nor changed before. Returns whether Redis has the pool.
  private boolean drain(PoolName pool) {
    return switch (pools.takeOver(pool)) {
      case LOST -> false;
      case NOT_NOW -> throw notNow(pool);
      case OPEN -> {
        if (!drainer.drainPresent(pool)) {
          throw notNow(pool);
        }
        yield true;
      }
    };
  }

  private static RedisUnavailable notNow(PoolName pool) {
    return RedisUnavailable.notSent(
        new IllegalStateException(
            "pool %s cannot be drained now; a retry of the shredding drains it".formatted(pool)));
  }

  private String unname(PoolName pool, String part, String cursor, Erasure erasure) {
    var person = erasure.person();
    var until = Long.toString(erasure.shreddedAt().plus(CLOCKS_APART_MAX).toEpochMilli());
    var pseudonym = erasure.pseudonym();
    var reply =
        await(pool, part, cursor, COUNT, person.caller(), person.requester(), pseudonym, until)
            .split("\t", -1);
    return switch (reply[0]) {
      case "SCANNED" -> reply[1];
      case "UNSEEDED" -> throw notNow(pool);
      default -> throw new IllegalStateException("privacy/unname answered " + reply[0]);
    };
  }

  private String await(PoolName pool, String... arguments) {
    try {
      return scripts.call(UNNAME, pool, arguments).toCompletableFuture().join().getFirst();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RedisUnavailable unavailable ? unavailable : e;
    }
  }
}
