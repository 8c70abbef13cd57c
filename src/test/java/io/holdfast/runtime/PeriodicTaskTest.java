package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofMillis(1);

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final PeriodicTasks tasks = new PeriodicTasks(meters);
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void stop() {
    tasks.close();
  }

  @Test
  void runs_follow_each_other_and_never_overlap() {
    var atOnce = new AtomicInteger();
    var most = new AtomicInteger();
    var task =
        tasks.every(
            "test",
            SHORT,
            () -> {
              most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
              Thread.yield();
              atOnce.decrementAndGet();
              runs.incrementAndGet();
            });
    task.start();

    Await.until(
        PATIENCE,
        () -> {
          task.wake();
          return runs.get() > 200;
        });

    assertThat(most).hasValue(1);
  }

  @Test
  void a_wake_during_a_run_is_followed_by_another_run() {
    var hasBegun = new CountDownLatch(1);
    var mayEnd = new CountDownLatch(1);
    var task =
        tasks.selfPaced(
            "test",
            () -> {
              runs.incrementAndGet();
              hasBegun.countDown();
              await(mayEnd);
              return NEVER;
            });
    task.start();
    await(hasBegun);

    task.wake();
    mayEnd.countDown();

    Await.until(PATIENCE, () -> runs.get() == 2);
  }

  @Test
  void a_blocked_task_delays_no_other() {
    var mayEnd = new CountDownLatch(1);
    for (var i = 0; i < 100; i++) {
      tasks.every("blocked-" + i, SHORT, () -> await(mayEnd)).start();
    }
    tasks.every("free", SHORT, runs::incrementAndGet).start();

    Await.until(PATIENCE, () -> runs.get() > 10);
    mayEnd.countDown();
  }

  @Test
  void the_back_off_doubles_up_to_its_bound_and_a_wake_does_not_cut_it_short() {
    var startedAt = new ConcurrentLinkedQueue<Long>();
    var task =
        tasks.selfPaced(
            "test",
            () -> {
              startedAt.add(System.nanoTime());
              throw new ServerLost();
            });
    task.start();

    Await.until(
        PATIENCE,
        () -> {
          task.wake();
          return startedAt.size() == 8;
        });

    var pauses = pausesMs(new ArrayList<>(startedAt));
    for (var i = 0; i < pauses.size(); i++) {
      var least = Math.min(PeriodicTask.BACKOFF_MIN.toMillis() << i, 1_000);
      assertThat(pauses.get(i)).as("pause %d of %s", i, pauses).isGreaterThanOrEqualTo(least);
    }
    assertThat(PeriodicTask.BACKOFF_MAX).isEqualTo(Duration.ofSeconds(1));
    Await.until(PATIENCE, () -> failures() == 8);
  }

  @Test
  void a_success_ends_the_back_off() {
    var task =
        tasks.every(
            "test",
            SHORT,
            () -> {
              if (runs.incrementAndGet() % 2 == 1) {
                throw new ServerLost();
              }
            });
    var since = System.nanoTime();
    task.start();

    Await.until(PATIENCE, () -> runs.get() >= 24);

    assertThat(Duration.ofNanos(System.nanoTime() - since))
        .as("twelve pauses of 50 ms; doubled each time they would be eight seconds")
        .isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void a_body_that_leaves_its_thread_interrupted_runs_again() {
    tasks
        .every(
            "test",
            SHORT,
            () -> {
              runs.incrementAndGet();
              Thread.currentThread().interrupt();
            })
        .start();

    Await.until(PATIENCE, () -> runs.get() > 3);
  }

  @Test
  void two_tasks_cannot_share_a_name() {
    tasks.every("test", NEVER, () -> {});

    assertThatThrownBy(() -> tasks.every("test", NEVER, () -> {}))
        .hasMessage("there is a task test already");
  }

  private double failures() {
    return meters.get("holdfast.task.failures").tag("task", "test").counter().count();
  }

  private static List<Long> pausesMs(List<Long> starts) {
    var pauses = new ArrayList<Long>();
    for (var i = 1; i < starts.size(); i++) {
      pauses.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
    }
    return pauses;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
