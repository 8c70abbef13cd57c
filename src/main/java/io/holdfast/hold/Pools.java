package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Catalogue;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpResponse;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The pools that there are. A pool never changes once it was created, so what is known of it is
/// kept: the hot path needs no Postgres to know a pool's rules, and goes on while Postgres is away.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS - 1)
public final class Pools implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(Pools.class);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int PAGE = 1_000;

  private final Catalogue catalogue;
  private final ExecutorService executor;
  private final TaskScheduler scheduler;
  private final Map<PoolName, Pool> known = new ConcurrentHashMap<>();

  Pools(
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.catalogue = catalogue;
    this.executor = executor;
    this.scheduler = scheduler;
  }

  /// Others create pools too; a sweeper has to know of them before anybody asks here.
  @Override
  public void atStart() {
    learn();
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, this::learnOrWait);
  }

  Collection<Pool> known() {
    return known.values();
  }

  void add(Pool pool) {
    known.put(pool.name(), pool);
  }

  /// Answers with what `work` makes of the pool, or with 404 if there is no such pool. A pool that
  /// is known is handed over at once, on the thread that asks.
  public CompletionStage<HttpResponse<?>> with(
      String name, Function<Pool, CompletionStage<HttpResponse<?>>> work) {
    if (!PoolName.isName(name)) {
      return CompletableFuture.completedStage(HoldAnswers.unknownPool());
    }
    var poolName = new PoolName(name);
    var pool = known.get(poolName);
    return pool != null
        ? work.apply(pool)
        : CompletableFuture.supplyAsync(() -> fetch(poolName), executor)
            .thenCompose(
                found ->
                    found.isPresent()
                        ? work.apply(found.get())
                        : CompletableFuture.completedStage(HoldAnswers.unknownPool()));
  }

  /// For threads that may block.
  Optional<Pool> find(PoolName name) {
    var pool = known.get(name);
    return pool == null ? fetch(name) : Optional.of(pool);
  }

  private Optional<Pool> fetch(PoolName name) {
    var found = catalogue.find(name);
    found.ifPresent(this::add);
    return found;
  }

  private void learnOrWait() {
    try {
      learn();
    } catch (PostgresUnavailable e) {
      LOG.debug("no news of pools", e);
    }
  }

  private void learn() {
    var after = "";
    while (true) {
      var page = catalogue.page(after, PAGE);
      page.forEach(pool -> known.putIfAbsent(pool.name(), pool));
      if (page.size() < PAGE) {
        return;
      }
      after = page.getLast().name().value();
    }
  }
}
