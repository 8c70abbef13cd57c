package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Counts how often the answer of each token was repeated, and when last. A replay adds to a number
/// in memory: it writes nothing, waits for nothing and cannot fail. `ReplayTask` stores the numbers
/// soon after, in one row for each use of a token. What an instance has not stored when it is
/// killed is lost; while Postgres is away the numbers wait.
@Singleton
public final class ReplayLog {
  private static final int TOKENS_MAX = 100_000;
  private static final int BATCH = 1_000;

  /// How long the numbers wait for the entry of their token, which the journal drain may still have
  /// to bring. After that they are stored without it.
  private static final Duration ENTRY_MAX = Duration.ofSeconds(30);

  /// How long a reader waits for the numbers that another call is storing. While Postgres is away
  /// that call waits much longer, and readers must not queue behind it.
  private static final Duration STORE_NOW_MAX = Duration.ofMillis(200);

  /// Adds the numbers to the use of the token that was answered. Its entry has the time of Redis or
  /// of Postgres, the numbers have that of this process.
  private static final String STORE =
      """
      WITH given AS MATERIALIZED (
          SELECT *, to_timestamp(first_ms::float8 / 1000) AS first_at,
                 to_timestamp(last_ms::float8 / 1000) AS last_at
            FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::text[]) AS caller,
                         unnest(?::text[]) AS route, unnest(?::text[]) AS pool,
                         unnest(?::bytea[]) AS token, unnest(?::bytea[]) AS token_hash,
                         unnest(?::bigint[]) AS replays, unnest(?::bigint[]) AS first_ms,
                         unnest(?::bigint[]) AS last_ms, unnest(?::boolean[]) AS is_late,
                         unnest(?::boolean[]) AS of_hold) AS counted),
      used AS MATERIALIZED (
          SELECT given.place, given.caller, given.route, given.token_hash, given.replays,
                 CASE WHEN given.of_hold THEN given.token END AS token,
                 given.first_at, given.last_at, coalesce(r.pool, given.pool) AS pool,
                 coalesce(t.recorded_at, r.recorded_at, given.first_at) AS used_at
            FROM given
            LEFT JOIN token_result t
                   ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
                  AND t.action::text = given.route
                  AND given.first_at BETWEEN t.recorded_at - interval '500 ms'
                                         AND t.window_until + interval '500 ms'
            LEFT JOIN request_result r
                   ON r.caller = given.caller AND r.route = given.route
                  AND r.token_hash = given.token_hash
                  AND given.first_at BETWEEN r.recorded_at - interval '500 ms'
                                         AND r.window_end + interval '500 ms'
           WHERE t.recorded_at IS NOT NULL OR r.recorded_at IS NOT NULL OR given.is_late),
      stored AS (
          INSERT INTO token_replay AS old
                 (token_hash, caller, route, used_at, pool, token, replays, first_at, last_at)
          SELECT token_hash, caller, route, used_at, pool, token, replays, first_at, last_at
            FROM used
           ORDER BY token_hash, caller, route, used_at
              ON CONFLICT ON CONSTRAINT token_replay_key DO UPDATE
                 SET replays = old.replays + EXCLUDED.replays,
                     last_at = greatest(old.last_at, EXCLUDED.last_at))
      SELECT place FROM used
      """;

  private final Transactions transactions;
  private final Clock clock;
  private final Counter uncounted;
  private final Map<Use, Count> counts = new ConcurrentHashMap<>();
  private final ReentrantLock storing = new ReentrantLock();
  private volatile Runnable onArrival = () -> {};

  public ReplayLog(Transactions transactions, Clock clock, MeterRegistry meters) {
    this.transactions = transactions;
    this.clock = clock;
    this.uncounted =
        Counter.builder("holdfast.replays.uncounted")
            .description("Replays that could not be put on record")
            .register(meters);
  }

  /// @param pool that the token belongs to
  /// @param token one char a byte
  /// @param ofHold whether the entry is in `token_result`
  private record Use(
      String caller, String route, @Nullable String pool, String token, boolean ofHold) {
    static Use of(String caller, TokenAction action, PoolName pool, Token token) {
      return new Use(caller, action.word(), pool.value(), token.value(), true);
    }
  }

  private record Count(long replays, Instant first, Instant last) {
    Count plus(Count later) {
      return new Count(
          replays + later.replays, first, last.isAfter(later.last) ? last : later.last);
    }

    /// Null if nothing was counted meanwhile.
    @Nullable Count without(Count stored) {
      return replays == stored.replays
          ? null
          : new Count(replays - stored.replays, stored.last, last);
    }
  }

  /// The answer of a call on a pool was repeated.
  public void count(String caller, TokenAction action, PoolName pool, Token token) {
    count(Use.of(caller, action, pool, token));
  }

  void count(IdempotentRouteCall call) {
    var pool = call.pool() == null ? null : call.pool().value();
    count(new Use(call.caller(), call.route().word(), pool, call.token().value(), false));
  }

  private void count(Use use) {
    if (counts.size() >= TOKENS_MAX && !counts.containsKey(use)) {
      uncounted.increment();
      return;
    }
    var now = clock.instant();
    counts.merge(use, new Count(1, now, now), Count::plus);
    onArrival.run();
  }

  /// @param action is called when there is something to store
  void onArrival(Runnable action) {
    onArrival = action;
  }

  /// Stores what can be stored, before a read of the records. Those of other instances follow soon,
  /// and so do those that another call is still storing.
  public void storeNow() {
    try {
      if (storing.tryLock(STORE_NOW_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          storeAll();
        } finally {
          storing.unlock();
        }
      }
    } catch (PostgresUnavailable e) {
      // the reader notices it, and the task stores the numbers later
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The replays of a token that this instance has not stored yet.
  public long waiting(String caller, TokenAction action, PoolName pool, Token token) {
    var count = counts.get(Use.of(caller, action, pool, token));
    return count == null ? 0 : count.replays;
  }

  /// Returns whether there was something to store.
  boolean store() {
    storing.lock();
    try {
      return storeAll();
    } finally {
      storing.unlock();
    }
  }

  private boolean storeAll() {
    var all = counts.entrySet().stream().map(Map.Entry::copyOf).toList();
    for (var start = 0; start < all.size(); start += BATCH) {
      store(all.subList(start, Math.min(all.size(), start + BATCH)));
    }
    return !all.isEmpty();
  }

  /// Numbers stay in the map until they are stored, so that readers find them, and those whose
  /// entry is missing wait for it. After a lost COMMIT nobody knows whether the numbers were
  /// stored, and they are not stored twice.
  private void store(List<Map.Entry<Use, Count>> batch) {
    Set<Integer> stored;
    try {
      stored = transactions.write(connection -> insert(connection, batch));
    } catch (PostgresUnavailable e) {
      if (!e.isDefinite()) {
        batch.forEach(this::remove);
        batch.forEach(each -> uncounted.increment(each.getValue().replays));
      }
      throw e;
    }
    stored.forEach(place -> remove(batch.get(place)));
  }

  private void remove(Map.Entry<Use, Count> stored) {
    counts.computeIfPresent(stored.getKey(), (_, count) -> count.without(stored.getValue()));
  }

  private Set<Integer> insert(Connection connection, List<Map.Entry<Use, Count>> batch)
      throws SQLException {
    var lateUntil = clock.instant().minus(ENTRY_MAX);
    var stored = new HashSet<Integer>();
    Plans.byIndex(connection);
    try (var run = StatementRun.of(connection, STORE)) {
      run.rows(
              IntStream.range(0, batch.size()).boxed().toList(),
              columns ->
                  columns
                      .number(Integer::longValue)
                      .text(i -> batch.get(i).getKey().caller)
                      .text(i -> batch.get(i).getKey().route)
                      .text(i -> batch.get(i).getKey().pool)
                      .bytes(i -> batch.get(i).getKey().token)
                      .bytes(i -> hashText(batch.get(i).getKey()))
                      .number(i -> batch.get(i).getValue().replays)
                      .moment(i -> batch.get(i).getValue().first)
                      .moment(i -> batch.get(i).getValue().last)
                      .flag(i -> batch.get(i).getValue().first.isBefore(lateUntil))
                      .flag(i -> batch.get(i).getKey().ofHold))
          .execute()
          .take(row -> stored.add(row.getInt("place")));
    }
    return stored;
  }

  private static String hashText(Use use) {
    var pool = use.pool == null ? null : new PoolName(use.pool);
    return new String(
        IdempotencyStore.hash(pool, new Token(use.token)), StandardCharsets.ISO_8859_1);
  }
}
