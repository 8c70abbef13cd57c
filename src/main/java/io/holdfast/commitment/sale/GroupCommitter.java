package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitSettings;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.LedgerMeters;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.SaleBatchResult.Cause;
import io.holdfast.commitment.sale.SaleBatchResult.Decided;
import io.holdfast.commitment.sale.SaleBatchResult.RolledBack;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import io.holdfast.runtime.Overloaded;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sells many requests in one transaction. A request that conflicts with another one of its batch,
/// meets a lock, or is in a batch that was rolled back runs alone.
@Singleton
public final class GroupCommitter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommitter.class);
  private static final Duration PAUSE_MAX = Duration.ofMillis(10);

  private final SaleTransaction sales;
  private final SingleSaleRetry single;
  private final LedgerMeters meters;
  private final CommitSettings settings;
  private final CommitQueue queue;
  private final BlockingBatcher<ConfirmRequest, CommitOutcome> batcher;

  GroupCommitter(
      SaleTransaction sales, SingleSaleRetry single, LedgerMeters meters, CommitSettings settings) {
    this.sales = sales;
    this.single = single;
    this.meters = meters;
    this.settings = settings;
    this.queue = new CommitQueue(settings.batchMax(), PAUSE_MAX);
    var policy =
        BatchPolicy.blocking(settings.batchMax(), settings.workers(), settings.queueMax(), queue);
    this.batcher = new BlockingBatcher<>("committer", policy, this::sellTogether, single::run);
    meters.queueIs(batcher::pending);
  }

  /// A sale may arrive soon. `stopExpectingSale` follows when it arrives, and when it does not.
  public void expectSale() {
    queue.expectSale();
  }

  public void stopExpectingSale() {
    queue.stopExpectingSale();
  }

  public CompletionStage<CommitOutcome> confirm(ConfirmRequest request) {
    var since = System.nanoTime();
    return batcher
        .add(request)
        .handle(
            (outcome, failure) -> {
              if (failure != null) {
                return refusal(failure);
              }
              meters.confirmed(System.nanoTime() - since, outcome);
              return outcome;
            });
  }

  /// A request that was not sent is not decided. The outcome after any other failure is unknown.
  private CommitOutcome refusal(Throwable failure) {
    return switch (failure) {
      case Overloaded _ ->
          new NotDecided(
              "%d requests to sell are waiting, which is too many".formatted(settings.queueMax()));
      case RejectedExecutionException stopping -> new NotDecided(stopping.getMessage());
      default -> throw new CompletionException(failure);
    };
  }

  /// Waits for the transactions in flight.
  @Override
  @PreDestroy
  public void close() {
    batcher.close();
  }

  /// One transaction for the requests that can be sold optimistically, and one for the others.
  private List<@Nullable CommitOutcome> sellTogether(List<ConfirmRequest> requests) {
    var conflicts = new ConflictFilter();
    var outcomes = new @Nullable CommitOutcome[requests.size()];
    IntStream.range(0, requests.size())
        .boxed()
        .filter(i -> conflicts.admits(requests.get(i)))
        .collect(Collectors.partitioningBy(i -> sales.isPlain(requests.get(i))))
        .forEach(
            (_, indexes) -> {
              var sold = sell(indexes.stream().map(requests::get).toList());
              for (var i = 0; i < sold.size(); i++) {
                outcomes[indexes.get(i)] = sold.get(i);
              }
            });
    return Arrays.asList(outcomes);
  }

  private List<@Nullable CommitOutcome> sell(List<ConfirmRequest> batch) {
    if (batch.isEmpty()) {
      return List.of();
    }
    meters.batched(batch.size());
    return switch (run(batch)) {
      case Decided(var outcomes) -> outcomes;
      case RolledBack(var cause, var why) when cause == Cause.AWAY -> {
        Thread.ofVirtual().name("attempt-log").start(() -> single.recordRolledBack(batch, why));
        yield Collections.nCopies(batch.size(), new NotDecided(cause.message()));
      }
      case RolledBack _ -> Collections.nCopies(batch.size(), null);
    };
  }

  private SaleBatchResult run(List<ConfirmRequest> batch) {
    try {
      return sales.run(batch, false);
    } catch (RuntimeException e) {
      LOG.error("A transaction of {} sales failed unexpectedly; each runs alone", batch.size(), e);
      return new RolledBack(Cause.POISONED, String.valueOf(e.getMessage()));
    }
  }

  /// Admits requests to a batch of which no two share a token, key, hold, nonce or item, or a
  /// requester whose items are limited.
  private static final class ConflictFilter {
    private final Set<Subject> admitted = new HashSet<>();

    private record Subject(String kind, String pool, String caller, String name) {}

    boolean admits(ConfirmRequest request) {
      var subjects = subjects(request);
      return subjects.stream().noneMatch(admitted::contains) && admitted.addAll(subjects);
    }

    private static List<Subject> subjects(ConfirmRequest request) {
      var pool = request.pool().name().value();
      var subjects = new ArrayList<Subject>();
      subjects.add(new Subject("token", pool, request.caller(), request.token().value()));
      subjects.add(new Subject("key", pool, request.caller(), request.key()));
      subjects.add(new Subject("hold", pool, "", request.hold().toString()));
      if (request.nonceHash() != null) {
        subjects.add(new Subject("nonce", pool, "", request.nonceHash()));
      }
      if (request.pool().policy().maxItemsPerRequester() != null) {
        subjects.add(new Subject("requester", pool, request.caller(), request.requester()));
      }
      if (request.intent() instanceof Pinned(var hold, _, _)) {
        hold.items().forEach(item -> subjects.add(new Subject("item", pool, "", item.value())));
      }
      return subjects;
    }
  }
}
