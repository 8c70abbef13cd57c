package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which pool is drained when, and how long draining pauses for requests.
class DrainScheduleTest {
  private static final PoolName BUSY = new PoolName("busy");
  private static final PoolName IDLE = new PoolName("idle");
  private static final Duration MAX = Duration.ofSeconds(9);

  @ParameterizedTest(name = "{0} requests a second, {1} lines waiting: {2} ms")
  @CsvSource(
      textBlock =
          """
          0,     0,     0
          100,   0,     0
          550,   0,   100
          1000,  0,   200
          9000,  250, 200
          9000,  625, 100
          9000,  1000,  0
          9000,  5000,  0
          """)
  void the_pause_after_a_batch_of_50_ms_grows_with_requests_and_shrinks_with_the_backlog(
      double requests, long waiting, long pause) {
    var schedule = new DrainSchedule(() -> requests, 1_000);

    assertThat(schedule.pauseAfter(Duration.ofMillis(50), waiting))
        .isEqualTo(Duration.ofMillis(pause));
  }

  @ParameterizedTest
  @CsvSource({"0, true", "100, true", "101, false", "9000, false"})
  void the_pause_ends_when_there_are_few_requests(double requests, boolean isOver) {
    var schedule = new DrainSchedule(() -> requests, 1_000);
    schedule.pause(Duration.ofHours(1), 0, 0);

    assertThat(schedule.pauseLeft(0).isZero()).isEqualTo(isOver);
  }

  @Test
  void a_pool_with_many_lines_is_due_again_after_the_other_due_pools() {
    var schedule = new DrainSchedule(() -> 0, 1_000);
    schedule.add(BUSY, 0);
    schedule.add(BUSY, 1);
    schedule.add(IDLE, 1);

    assertThat(schedule.next(5)).contains(BUSY);
    schedule.hadManyLines(BUSY, 5);

    assertThat(schedule.next(5)).contains(IDLE);
    assertThat(schedule.next(5)).contains(BUSY);
    assertThat(schedule.next(5)).isEmpty();
  }

  @Test
  void a_pool_with_few_lines_is_due_again_a_little_later() {
    var schedule = new DrainSchedule(() -> 0, 1_000);
    schedule.add(BUSY, 0);

    assertThat(schedule.next(5)).contains(BUSY);
    schedule.hadFewLines(BUSY, 5);

    assertThat(schedule.untilNext(5, MAX)).isEqualTo(Duration.ofMillis(50));
    assertThat(schedule.next(5 + Duration.ofMillis(50).toNanos())).contains(BUSY);
  }

  @Test
  void an_empty_pool_is_removed_until_it_is_added_again() {
    var schedule = new DrainSchedule(() -> 0, 1_000);
    schedule.add(IDLE, 0);
    schedule.next(5);
    schedule.wasEmpty(IDLE);

    assertThat(schedule.isEmpty()).isTrue();
    assertThat(schedule.untilNext(5, MAX)).isEqualTo(MAX);

    schedule.add(IDLE, 6);
    assertThat(schedule.next(6)).contains(IDLE);
  }

  @Test
  void a_failing_pool_is_retried_at_least_every_two_seconds() {
    var schedule = new DrainSchedule(() -> 0, 1_000);
    schedule.add(BUSY, 0);

    for (var round = 0; round < 20; round++) {
      schedule.next(Long.MAX_VALUE / 2);
      schedule.failed(BUSY, 0);
    }

    assertThat(schedule.untilNext(0, MAX)).isEqualTo(Duration.ofSeconds(2));
  }
}
