package io.holdfast.hold;

import io.holdfast.activity.ActivePools;
import io.holdfast.activity.PoolIndex;
import io.holdfast.app.Service;
import io.holdfast.hold.pin.PinResolver;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import io.holdfast.redis.TestBatches;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.seeding.IndexRebuilder;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The pool and the run after a failed sweep call.
@ExtendWith(RealServers.class)
class SweeperErrorTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Service service;

  /// The sweeper of the service would take the pools of the tests.
  @BeforeAll
  static void stopSweeping(Service given) {
    service = given;
    TaskControl.stop(service.context().getBean(PeriodicTasks.class), "expiry-sweep");
  }

  @Test
  void a_pool_whose_sweep_ended_with_an_error_is_swept_again() {
    var scripts =
        failingOnce(
            () -> {
              throw new StackOverflowError("in a test");
            });
    var meters = new SimpleMeterRegistry();
    try (var tasks = new PeriodicTasks(meters)) {
      sweep(scripts, tasks, meters);

      Await.until(PATIENCE, () -> scripts.calls.get() > 1);
    }
  }

  @Test
  void a_run_whose_calls_are_not_answered_has_failed_and_the_pool_is_swept_again() {
    var lost = RedisUnavailable.notSent(new IllegalStateException("in a test"));
    var scripts = failingOnce(() -> CompletableFuture.failedStage(lost));
    var meters = new SimpleMeterRegistry();
    try (var tasks = new PeriodicTasks(meters)) {
      sweep(scripts, tasks, meters);

      Await.until(PATIENCE, () -> scripts.calls.get() > 1);
      Await.until(PATIENCE, () -> failures(meters) == 1);
    }
  }

  private static void sweep(FailingOnce scripts, PeriodicTasks tasks, MeterRegistry meters) {
    var beans = service.context();
    var active = beans.getBean(ActivePools.class);
    active.due(new PoolName(Api.of(service).pool(1)), 0);
    active.flush();
    new ExpirySweeper(
            new HoldScripts(
                TestBatches.of(scripts),
                scripts,
                beans.getBean(PoolScripts.class),
                beans.getBean(ActivePools.class),
                beans.getBean(PinSettings.class)),
            beans.getBean(PoolIndex.class),
            beans.getBean(IndexRebuilder.class),
            beans.getBean(PoolSeeder.class),
            beans.getBean(PinResolver.class),
            tasks,
            meters)
        .atStart();
  }

  private static double failures(MeterRegistry meters) {
    return meters.get("holdfast.task.failures").tag("task", "expiry-sweep").counter().count();
  }

  private static FailingOnce failingOnce(Supplier<CompletionStage<List<String>>> failure) {
    return new FailingOnce(service.context().getBean(RedisConnections.class), failure);
  }

  private static final class FailingOnce extends RedisScripts {
    final AtomicInteger calls = new AtomicInteger();
    private final Supplier<CompletionStage<List<String>>> failure;

    FailingOnce(RedisConnections link, Supplier<CompletionStage<List<String>>> failure) {
      super(link);
      this.failure = failure;
    }

    @Override
    public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
      return calls.getAndIncrement() == 0 ? failure.get() : super.call(script, keys, others);
    }
  }
}
