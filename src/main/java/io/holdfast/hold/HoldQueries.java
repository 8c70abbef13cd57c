package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Seen;
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

/// Reads holds: from Redis while they live and until their end has reached Postgres, from Postgres
/// for ever after. Needs no token and leaves none.
@Singleton
public final class HoldQueries {
  private static final int SWEEPS_MAX = 100;

  private final HoldService desk;
  private final HoldRows rows;
  private final JournalDrainer drainer;
  private final ExecutorService executor;

  HoldQueries(
      HoldService desk,
      HoldRows rows,
      JournalDrainer drainer,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.rows = rows;
    this.drainer = drainer;
    this.executor = executor;
  }

  /// What reading can come to.
  public sealed interface Reading {
    /// @param next the last fence of this page, if another one follows
    record Found(List<HoldRecord> holds, @Nullable Fence next) implements Reading {}

    record Nothing() implements Reading {}

    /// Redis is away, and Postgres alone cannot tell.
    record NotNow(HoldOutcome why) implements Reading {}
  }

  /// A hold of another caller is none.
  public CompletionStage<Reading> one(Pool pool, HoldId id, String caller) {
    return live(pool, List.of(id.fence()))
        .thenCompose(
            reading ->
                reading instanceof Reading.Found(var holds, _) && !holds.isEmpty()
                    ? CompletableFuture.completedStage(reading)
                    : CompletableFuture.supplyAsync(() -> fromPostgres(id, reading), executor))
        .thenApply(reading -> own(reading, id, caller));
  }

  /// A page of holds in the order of placing. What Redis has done so far is brought to Postgres
  /// first, so whoever has placed a hold finds it here; what lives is shown as Redis has it.
  CompletionStage<Reading> page(Pool pool, HoldFilter filter, long after, int limit) {
    return CompletableFuture.supplyAsync(
            () -> {
              drainer.drainAll(pool.name());
              return part(rows.page(pool.name(), filter, after, limit + 1), limit);
            },
            executor)
        .thenCompose(page -> withLeases(pool, page, filter));
  }

  /// One more than asked for was read, to know whether another page follows.
  private static Reading.Found part(List<HoldRecord> read, int limit) {
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
                    ? new Reading.Found(overlaid(page.holds(), present, filter), page.next())
                    : reading);
  }

  private static List<HoldRecord> overlaid(
      List<HoldRecord> page, List<HoldRecord> present, HoldFilter filter) {
    Map<Fence, HoldRecord> byFence =
        present.stream().collect(Collectors.toMap(HoldRecord::fence, Function.identity()));
    return page.stream()
        .map(hold -> byFence.getOrDefault(hold.fence(), hold))
        .filter(hold -> filter.state() == null || hold.state() == filter.state())
        .toList();
  }

  /// What has lapsed is swept before it is shown, so its end is on record and stays the same.
  private CompletionStage<Reading> live(Pool pool, List<Fence> fences) {
    return swept(pool, fences, SWEEPS_MAX)
        .thenApply(
            decision ->
                decision.outcome() instanceof Seen(_, var holds)
                    ? new Reading.Found(holds, null)
                    : new Reading.NotNow(decision.outcome()));
  }

  /// A sweep ends so many at a time, the oldest first, so it may take several to come to these.
  private CompletionStage<TokenOutcome> swept(Pool pool, List<Fence> fences, int sweeps) {
    return desk.read(pool, fences)
        .thenCompose(
            decision ->
                sweeps > 0
                        && decision.outcome() instanceof Seen(var at, var holds)
                        && hasLapsed(holds, at)
                    ? desk.sweep(pool).thenCompose(_ -> swept(pool, fences, sweeps - 1))
                    : CompletableFuture.completedStage(decision));
  }

  private static boolean hasLapsed(List<HoldRecord> holds, Instant at) {
    return holds.stream()
        .filter(hold -> hold.state() == HoldState.HELD && !hold.isPinned())
        .anyMatch(hold -> !hold.leaseUntil().isAfter(at));
  }

  /// With Redis away only an end can be told: whether a hold still lives, Redis alone knows.
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

  /// Held by Postgres and unknown to a Redis that answers: it went with an earlier epoch.
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
