package io.holdfast.catalogue;

import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.web.Problem;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.scheduling.TaskExecutors;
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

/// The pools that there are. A pool never changes once it was created, so what is known of it is
/// kept: the hot path needs no Postgres to know a pool's rules, and goes on while Postgres is away.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS - 1)
public final class PoolRegistry implements StartupTask {
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /// A pool becomes visible when its transaction ends, and has the moment at which it began.
  private static final Duration LONGEST_CREATION = Duration.ofMinutes(1);

  private static final int PAGE = 1_000;

  private final Catalogue catalogue;
  private final ExecutorService executor;
  private final PeriodicTasks tasks;
  private final Map<PoolName, Pool> known = new ConcurrentHashMap<>();
  private long learntAt;

  PoolRegistry(
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      PeriodicTasks tasks) {
    this.catalogue = catalogue;
    this.executor = executor;
    this.tasks = tasks;
  }

  /// Others create pools too; `IndexRebuilder` has to know of them though nobody asks here.
  @Override
  public void atStart() {
    learnAll();
    tasks.every("pool-refresh", PAUSE, this::learnNew).start();
  }

  Collection<Pool> known() {
    return known.values();
  }

  public Collection<PoolName> names() {
    return known.keySet();
  }

  void add(Pool pool) {
    known.put(pool.name(), pool);
  }

  /// Answers with what `work` makes of the pool, or with 404 if there is no such pool. A pool that
  /// is known is handed over at once, on the thread that asks.
  public CompletionStage<HttpResponse<?>> with(
      String name, Function<Pool, CompletionStage<HttpResponse<?>>> work) {
    if (!PoolName.isName(name)) {
      return CompletableFuture.completedStage(notKnown());
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
                        : CompletableFuture.completedStage(notKnown()));
  }

  private static HttpResponse<?> notKnown() {
    var problem = Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool.");
    return HttpResponse.notFound(problem).contentType(Problem.MEDIA_TYPE);
  }

  /// For threads that may block.
  public Optional<Pool> find(PoolName name) {
    var pool = known.get(name);
    return pool == null ? fetch(name) : Optional.of(pool);
  }

  private Optional<Pool> fetch(PoolName name) {
    var found = catalogue.find(name);
    found.ifPresent(this::add);
    return found;
  }

  private void learnAll() {
    var now = System.nanoTime();
    var after = "";
    while (true) {
      var page = catalogue.page(after, PAGE);
      page.forEach(pool -> known.putIfAbsent(pool.name(), pool));
      if (page.size() < PAGE) {
        learntAt = now;
        return;
      }
      after = page.getLast().name().value();
    }
  }

  /// Asks for what was created since the last time. While nobody creates pools that is nothing,
  /// however many there are.
  private void learnNew() {
    var now = System.nanoTime();
    var since = Duration.ofNanos(now - learntAt).plus(LONGEST_CREATION);
    catalogue.createdWithin(since).forEach(pool -> known.putIfAbsent(pool.name(), pool));
    learntAt = now;
  }
}
