package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.HoldsRead;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.store.HoldFilter;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reads holds: from Redis until their end has reached Postgres, then from Postgres. Uses no token.
@Singleton
public final class HoldQueries {
  private static final int SWEEPS_MAX = 100;

  private final HoldService holds;
  private final HoldRows rows;
  private final JournalDrainer drainer;
  private final ExecutorService executor;

  HoldQueries(
      HoldService holds,
      HoldRows rows,
      JournalDrainer drainer,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.rows = rows;
    this.drainer = drainer;
    this.executor = executor;
  }

  /// The result of a read.
  public sealed interface Reading {
    /// @param next the last fence of this page, if another one follows
    record Found(List<HoldRecord> holds, @Nullable Fence next) implements Reading {}

    record Nothing() implements Reading {}

    /// Redis is away, and Postgres alone does not know.
    record NotNow(HoldOutcome why) implements Reading {}
  }

  /// Returns `Nothing` for a hold of another caller.
  public CompletionStage<Reading> one(Pool pool, HoldId id, String caller) {
    return live(pool, List.of(id.fence()))
        .thenCompose(
            reading ->
                reading instanceof Reading.Found(var found, _) && !found.isEmpty()
                    ? CompletableFuture.completedStage(reading)
                    : CompletableFuture.supplyAsync(() -> fromPostgres(id, reading), executor))
        .thenApply(reading -> own(reading, id, caller));
  }

  /// Returns a page of holds in the order of placing. The journal is drained first, so that the
  /// page contains all holds placed before the call. Live holds are shown with the leases that
  /// Redis has.
  CompletionStage<Reading> page(Pool pool, HoldFilter filter, long after, int limit) {
    return CompletableFuture.supplyAsync(
            () -> {
              drainer.drainAll(pool.name());
              return page(rows.page(pool.name(), filter, after, limit + 1), limit);
            },
            executor)
        .thenCompose(page -> withLeases(pool, page, filter));
  }

  /// The holds of one pool with the leases and ends that Redis has.
  CompletionStage<Reading> current(Pool pool, List<HoldRecord> holds) {
    return withLeases(pool, new Reading.Found(holds, null), new HoldFilter("", null, null));
  }

  /// @param read one more than the limit, if another page follows
  private static Reading.Found page(List<HoldRecord> read, int limit) {
    return read.size() <= limit
        ? new Reading.Found(read, null)
        : new Reading.Found(read.subList(0, limit), read.get(limit - 1).fence());
  }

  private CompletionStage<Reading> withLeases(Pool pool, Reading.Found page, HoldFilter filter) {
    var fences =
        page.holds().stream()
            .filter(hold -> hold.state() == HoldState.HELD)
            .map(HoldRecord::fence)
            .toList();
    if (fences.isEmpty()) {
      return CompletableFuture.completedStage(page);
    }
    return live(pool, fences)
        .thenApply(
            reading ->
                reading instanceof Reading.Found(var present, _)
                    ? new Reading.Found(overlay(page.holds(), present, filter), page.next())
                    : reading);
  }

  private static List<HoldRecord> overlay(
      List<HoldRecord> page, List<HoldRecord> present, HoldFilter filter) {
    Map<Fence, HoldRecord> byFence =
        present.stream().collect(Collectors.toMap(HoldRecord::fence, Function.identity()));
    return page.stream()
        .map(hold -> byFence.getOrDefault(hold.fence(), hold))
        .filter(hold -> filter.state() == null || hold.state() == filter.state())
        .toList();
  }

  /// Lapsed holds are swept before they are returned, so that the end that is shown is recorded.
  private CompletionStage<Reading> live(Pool pool, List<Fence> fences) {
    return readSwept(pool, fences, SWEEPS_MAX)
        .thenApply(
            outcome ->
                outcome instanceof HoldsRead(_, var found)
                    ? new Reading.Found(found, null)
                    : new Reading.NotNow(outcome));
  }

  /// One sweep ends a bounded number of holds, oldest first, so several may be needed.
  private CompletionStage<HoldOutcome> readSwept(Pool pool, List<Fence> fences, int sweeps) {
    return holds
        .read(pool, fences)
        .thenCompose(
            outcome ->
                sweeps > 0
                        && outcome instanceof HoldsRead(var at, var found)
                        && hasLapsed(found, at)
                    ? holds.sweep(pool).thenCompose(_ -> readSwept(pool, fences, sweeps - 1))
                    : CompletableFuture.completedStage(outcome));
  }

  private static boolean hasLapsed(List<HoldRecord> holds, Instant at) {
    return holds.stream()
        .filter(hold -> hold.state() == HoldState.HELD && !hold.isPinned())
        .anyMatch(hold -> !hold.leaseUntil().isAfter(at));
  }

  /// While Redis is away, only ended holds are returned: Redis alone knows whether a hold lives.
  private Reading fromPostgres(HoldId id, Reading fromRedis) {
    Optional<HoldRecord> row = rows.find(id);
    if (row.isPresent() && row.get().state() != HoldState.HELD) {
      return new Reading.Found(List.of(row.get()), null);
    }
    return fromRedis instanceof Reading.NotNow
        ? fromRedis
        : row.<Reading>map(hold -> new Reading.Found(List.of(lost(hold)), null))
            .orElseGet(Reading.Nothing::new);
  }

  /// HELD in Postgres and missing in Redis: the hold was lost with an earlier epoch.
  private static HoldRecord lost(HoldRecord hold) {
    return hold.ended(HoldState.EXPIRED, hold.leaseUntil(), EndReason.LOST);
  }

  private static Reading own(Reading reading, HoldId id, String caller) {
    var isForeign =
        reading instanceof Reading.Found(var holds, _)
            && !(holds.getFirst().caller().equals(caller)
                && holds.getFirst().salt().equals(id.salt()));
    return isForeign ? new Reading.Nothing() : reading;
  }
}
