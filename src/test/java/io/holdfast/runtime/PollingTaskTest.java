package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PollingTaskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final Duration NEVER = Duration.ofDays(1);

  private final Captured tasks = new Captured(new SimpleMeterRegistry());
  private volatile boolean hasWork;
  private volatile int looks;

  /// Keeps the body of the task, so that a test can read the pauses without waiting for them.
  private static final class Captured extends PeriodicTasks {
    private @Nullable Supplier<Duration> body;

    Captured(MeterRegistry meters) {
      super(meters);
    }

    @Override
    public PeriodicTask selfPaced(String name, Supplier<Duration> body) {
      this.body = body;
      return super.selfPaced(name, body);
    }

    List<Duration> pauses(int runs) {
      var pauses = new ArrayList<Duration>();
      for (var i = 0; i < runs; i++) {
        pauses.add(body.get());
      }
      return pauses;
    }
  }

  @AfterEach
  void stop() {
    tasks.close();
  }

  private PollingTask task(Duration shortest, Duration longest) {
    return new PollingTask(tasks, "test", shortest, longest, this::look);
  }

  private boolean look() {
    looks++;
    return hasWork;
  }

  @Test
  void pauses_double_while_nothing_is_found_and_are_short_again_after_a_find() {
    task(SHORTEST, LONGEST);

    assertThat(tasks.pauses(4))
        .containsExactly(SHORTEST.multipliedBy(2), LONGEST, LONGEST, LONGEST);

    hasWork = true;
    assertThat(tasks.pauses(2)).containsExactly(SHORTEST, SHORTEST);

    hasWork = false;
    assertThat(tasks.pauses(2)).containsExactly(SHORTEST.multipliedBy(2), LONGEST);
  }

  @Test
  void pauses_are_short_while_work_is_expected() {
    var task = task(SHORTEST, LONGEST);
    tasks.pauses(3);

    task.expect(NEVER);
    task.expect(Duration.ZERO); // takes nothing back

    assertThat(tasks.pauses(3)).containsExactly(SHORTEST, SHORTEST, SHORTEST);
  }

  @Test
  void a_task_that_has_backed_off_looks_at_once_when_work_is_expected() {
    var task = task(NEVER, NEVER.multipliedBy(2));
    task.task().start();
    Await.until(PATIENCE, () -> looks == 1);

    task.expect(Duration.ZERO);

    Await.until(PATIENCE, () -> looks == 2);
  }
}
