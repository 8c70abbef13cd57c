package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Tasks stop in order, and leave nothing running.
class TaskStopTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofDays(1);

  private final PeriodicTasks tasks = new PeriodicTasks(new SimpleMeterRegistry());
  private final AtomicInteger runs = new AtomicInteger();

  @Test
  void a_stop_waits_for_the_run_under_way_and_starts_no_other() {
    var hasBegun = new CountDownLatch(1);
    var mayEnd = new CountDownLatch(1);
    var order = new ConcurrentLinkedQueue<String>();
    var task =
        tasks
            .selfPaced(
                "test",
                () -> {
                  runs.incrementAndGet();
                  hasBegun.countDown();
                  await(mayEnd);
                  order.add("run");
                  return Duration.ZERO;
                })
            .onStop(() -> order.add("onStop"));
    task.start();
    await(hasBegun);

    var stop = CompletableFuture.runAsync(tasks::close, Thread::startVirtualThread);
    Await.until(PATIENCE, task::isStopping);
    task.wake();
    assertThat(stop).isNotDone();
    mayEnd.countDown();
    stop.join();

    assertThat(order).containsExactly("run", "onStop");
    assertThat(runs).hasValue(1);
  }

  @Test
  void tasks_stop_in_reverse_order_of_their_start_and_each_once() {
    var order = new ConcurrentLinkedQueue<String>();
    for (var name : List.of("first", "second", "third")) {
      tasks
          .every(name, NEVER, () -> {})
          .onStop(
              () -> {
                order.add(name);
                throw new IllegalStateException("must not keep the others from stopping");
              })
          .start();
    }

    tasks.close();
    tasks.close();

    assertThat(order).containsExactly("third", "second", "first");
  }

  @Test
  void a_task_that_is_started_after_the_stop_does_not_run() {
    var task = tasks.selfPaced("test", () -> Duration.ofNanos(runs.incrementAndGet()));
    tasks.close();

    task.start();

    assertThat(tasks.started()).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
