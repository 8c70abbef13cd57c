package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.SaleBatchResult.Cause;
import io.holdfast.commitment.SaleBatchResult.Decided;
import io.holdfast.commitment.SaleBatchResult.RolledBack;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Collects requests to sell and runs many of them in one transaction. Nobody waits for company
/// while no transaction is under way; beside others, the next sets out when it is half as large.
/// What is in somebody's way leaves the transaction and runs alone.
@Singleton
final class GroupCommitter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommitter.class);
  private static final Duration COMPANY_MAX = Duration.ofMillis(10);
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final SaleTransaction sales;
  private final SingleSaleRetry lone;
  private final LedgerMeters meters;
  private final CommitSettings settings;
  private final CommitQueue<Waiting> boarding;
  private final AtomicInteger pending = new AtomicInteger();
  private final List<Thread> workers = new ArrayList<>();
  private volatile boolean isClosed;

  GroupCommitter(
      SaleTransaction sales, SingleSaleRetry lone, LedgerMeters meters, CommitSettings settings) {
    this.sales = sales;
    this.lone = lone;
    this.meters = meters;
    this.settings = settings;
    this.boarding = new CommitQueue<>(settings.batchMax(), COMPANY_MAX);
    meters.queueIs(pending::get);
    for (var i = 0; i < settings.workers(); i++) {
      workers.add(Thread.ofVirtual().name("committer-" + i).start(this::work));
    }
  }

  void announce() {
    boarding.announce();
  }

  void present() {
    boarding.present();
  }

  CompletionStage<CommitOutcome> confirm(ConfirmRequest request) {
    if (isClosed || pending.incrementAndGet() > settings.queueMax()) {
      pending.decrementAndGet();
      var why = "%d requests to sell are waiting, which is too many".formatted(settings.queueMax());
      return CompletableFuture.completedStage(new NotDecided(why));
    }
    var waiting = new Waiting(request, new CompletableFuture<>(), System.nanoTime());
    boarding.add(waiting);
    return waiting.answer;
  }

  /// Lets the transactions that are under way end.
  @Override
  @PreDestroy
  public void close() {
    isClosed = true;
    workers.forEach(Thread::interrupt);
    try {
      for (var worker : workers) {
        worker.join(END_PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boarding.rest().forEach(waiting -> end(waiting, new NotDecided("the service is stopping")));
  }

  private record Waiting(
      ConfirmRequest request, CompletableFuture<CommitOutcome> answer, long since) {}

  private void work() {
    var left = new ArrayList<Waiting>();
    while (!isClosed) {
      try {
        left = turn(left);
      } catch (InterruptedException e) {
        LOG.debug("asked to end");
      } catch (RuntimeException e) {
        LOG.error("A transaction of sales met an error that nobody foresaw", e);
      }
    }
    left.forEach(waiting -> end(waiting, new NotDecided("the service is stopping")));
  }

  /// Returns who could not go along because of somebody who did.
  private ArrayList<Waiting> turn(ArrayList<Waiting> left) throws InterruptedException {
    var taken = boarding.take(left);
    try {
      var party = new ConflictFilter();
      var goes = new ArrayList<Waiting>();
      var stays = new ArrayList<Waiting>();
      taken.forEach(waiting -> (party.admits(waiting.request) ? goes : stays).add(waiting));
      goes.stream()
          .collect(Collectors.partitioningBy(waiting -> sales.isPlain(waiting.request)))
          .forEach((_, alike) -> run(alike));
      return stays;
    } finally {
      boarding.arrived(taken.size());
    }
  }

  private void run(List<Waiting> batch) {
    if (batch.isEmpty()) {
      return;
    }
    meters.batched(batch.size());
    SaleBatchResult end;
    try {
      end = sales.run(batch.stream().map(Waiting::request).toList(), false);
    } catch (RuntimeException e) {
      LOG.error("A transaction of sales met an error that nobody foresaw", e);
      end = new RolledBack(Cause.POISONED, String.valueOf(e.getMessage()));
    }
    var known = end;
    Thread.ofVirtual().name("committed").start(() -> answer(batch, known));
  }

  /// On a thread of its own, since whoever waits for an answer may do some work with it at once.
  private void answer(List<Waiting> batch, SaleBatchResult end) {
    switch (end) {
      case Decided(var outcomes) -> {
        for (var i = 0; i < batch.size(); i++) {
          answer(batch.get(i), outcomes.get(i));
        }
      }
      case RolledBack(var cause, var why) when cause == Cause.AWAY -> {
        batch.forEach(waiting -> end(waiting, new NotDecided(cause.told())));
        lone.recordAway(batch.stream().map(Waiting::request).toList(), why);
      }
      case RolledBack _ -> batch.forEach(waiting -> answer(waiting, null));
    }
  }

  private void answer(Waiting waiting, @Nullable CommitOutcome outcome) {
    if (outcome != null) {
      end(waiting, outcome);
    } else {
      Thread.ofVirtual().name("alone").start(() -> end(waiting, lone.run(waiting.request)));
    }
  }

  private void end(Waiting waiting, CommitOutcome outcome) {
    pending.decrementAndGet();
    meters.confirmed(System.nanoTime() - waiting.since, outcome);
    waiting.answer.complete(outcome);
  }
}
