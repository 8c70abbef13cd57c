package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OnDemandTaskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Duration NEVER = Duration.ofDays(1);

  private final PeriodicTasks tasks = new PeriodicTasks(new SimpleMeterRegistry());
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void stop() {
    tasks.close();
  }

  private OnDemandTask start(Duration period) {
    var task = new OnDemandTask(tasks, "test", period, this::doAll);
    task.task().start();
    return task;
  }

  private boolean doAll() {
    runs.incrementAndGet();
    var some = work.getAndSet(0);
    done.addAndGet(some);
    return some > 0;
  }

  private void add(OnDemandTask task) {
    work.incrementAndGet();
    task.workArrived();
  }

  /// The quiet pause is a minute, so only the wake ends it in time.
  @Test
  void a_quiet_task_runs_at_once_when_work_comes() {
    var task = start(SHORT);

    for (var i = 1; i <= 20; i++) {
      awaitQuiet();
      var expected = i;
      add(task);
      Await.until(PATIENCE, () -> done.get() == expected);
    }
  }

  @Test
  void work_that_comes_while_the_task_becomes_quiet_is_not_forgotten() {
    var task = start(SHORT);

    IntStream.range(0, 20_000).parallel().forEach(_ -> add(task));

    Await.until(PATIENCE, () -> done.get() == 20_000);
  }

  @Test
  void a_quiet_task_does_not_run() {
    start(SHORT);

    var quietRuns = awaitQuiet();

    assertThat(runs).hasValue(quietRuns);
  }

  @Test
  void after_work_the_next_run_waits_for_the_period() {
    var task = start(NEVER);
    awaitQuiet();
    add(task);
    Await.until(PATIENCE, () -> done.get() == 1);
    var runsBefore = runs.get();

    add(task);

    assertThat(task.task().isStopping()).isFalse();
    assertThat(runs).hasValue(runsBefore);
  }

  /// Returns the number of runs, once fifty periods have passed without another one.
  private int awaitQuiet() {
    var seen = new int[] {-1};
    var since = new long[1];
    Await.until(
        PATIENCE,
        () -> {
          var now = System.nanoTime();
          if (runs.get() == 0 || runs.get() != seen[0]) {
            seen[0] = runs.get();
            since[0] = now;
          }
          return now - since[0] > SHORT.toNanos() * 50;
        });
    return seen[0];
  }
}
