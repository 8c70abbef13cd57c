package io.holdfast.catalogue;

import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.context.BeanProvider;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/// All pools, in memory, so that holds need no Postgres to know their rules, and continue while
/// Postgres is down. A change of another instance is known after a refresh; Redis has what must be
/// in force at once.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS - 1)
public final class PoolRegistry implements StartupTask {
  private static final Duration PAUSE = Duration.ofSeconds(2);

  /// `changed_at` is the start of a transaction, but the change becomes visible at its end.
  private static final Duration LONGEST_CREATION = Duration.ofMinutes(1);

  private static final int PAGE = 1_000;

  private final Catalogue catalogue;
  private final ExecutorService executor;
  private final PeriodicTasks tasks;
  private final BeanProvider<PoolChangedListener> listener;
  private final Map<PoolName, Pool> known = new ConcurrentHashMap<>();
  private long refreshedAt;

  PoolRegistry(
      Catalogue catalogue,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      PeriodicTasks tasks,
      BeanProvider<PoolChangedListener> listener) {
    this.catalogue = catalogue;
    this.executor = executor;
    this.tasks = tasks;
    this.listener = listener;
  }

  /// Other instances create pools too, and `IndexRebuilder` has to know them before any request.
  @Override
  public void atStart() {
    loadAll();
    tasks.every("pool-refresh", PAUSE, this::loadChanged).start();
  }

  Collection<Pool> known() {
    return known.values();
  }

  public Collection<PoolName> names() {
    return known.keySet();
  }

  public List<Pool> withWaitingRooms() {
    return known.values().stream().filter(pool -> pool.policy().waitingRoom() != null).toList();
  }

  public boolean isKnown(PoolName name) {
    return known.containsKey(name);
  }

  /// Takes a pool as Postgres has committed it, unless a newer version is known. Returns whether it
  /// is new or newer here.
  public boolean learn(Pool pool) {
    var before = known.get(pool.name());
    var after = known.merge(pool.name(), pool, PoolRegistry::newer);
    return before == null || before.version() < after.version();
  }

  private static Pool newer(Pool present, Pool read) {
    return read.version() < present.version() ? present : read;
  }

  /// The pool as Postgres has it now. May block.
  public Pool reload(PoolName name) {
    var found = catalogue.find(name).orElseThrow();
    learn(found);
    return found;
  }

  /// Whether this instance knows a version of the pool that Redis knows.
  public boolean isCurrent(Pool pool, long version) {
    return version <= known.getOrDefault(pool.name(), pool).version();
  }

  /// The pool at that version or a later one. Blocks only if this instance does not know it yet.
  public Pool current(Pool pool, long version) {
    return isCurrent(pool, version) ? known.getOrDefault(pool.name(), pool) : reload(pool.name());
  }

  /// Calls `work` with the pool, or answers 404 if there is no such pool. For a known pool, `work`
  /// runs on the calling thread.
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
    return HttpResponse.notFound(unknown()).contentType(Problem.MEDIA_TYPE);
  }

  private static Problem unknown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool.");
  }

  /// The pool that a path names. May block.
  ///
  /// @throws ProblemException if there is no such pool. That answer is stored under no token,
  ///   because the pool may be created later.
  public Pool existing(String name) {
    return Optional.of(name)
        .filter(PoolName::isName)
        .flatMap(known -> find(new PoolName(known)))
        .orElseThrow(() -> new ProblemException(unknown()));
  }

  /// May block.
  public Optional<Pool> find(PoolName name) {
    var pool = known.get(name);
    return pool == null ? fetch(name) : Optional.of(pool);
  }

  private Optional<Pool> fetch(PoolName name) {
    var found = catalogue.find(name);
    found.ifPresent(this::learn);
    return found;
  }

  private void loadAll() {
    var now = System.nanoTime();
    var after = "";
    while (true) {
      var page = catalogue.page(after, PAGE);
      page.forEach(this::learn);
      if (page.size() < PAGE) {
        refreshedAt = now;
        return;
      }
      after = page.getLast().name().value();
    }
  }

  /// Reads only the pools that were created or changed since the last refresh. The instance that
  /// has changed a pool may have died before it told Redis, so every instance does.
  private void loadChanged() {
    var now = System.nanoTime();
    var since = Duration.ofNanos(now - refreshedAt).plus(LONGEST_CREATION);
    catalogue.changedWithin(since).stream()
        .filter(pool -> learn(pool) && pool.version() > 0)
        .forEach(pool -> listener.get().changed(pool));
    refreshedAt = now;
  }
}
