package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When a journal is drained, and how much of the time.
class DrainThrottleTest {
  private static final PoolName BUSY = new PoolName("busy");
  private static final PoolName IDLE = new PoolName("idle");
  private static final Duration MOST = Duration.ofSeconds(9);

  @ParameterizedTest(name = "{0} calls a second, {1} lines waiting: {2} ms")
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
  void after_a_batch_of_50_ms_callers_come_first_unless_too_much_waits(
      double calls, long waiting, long pause) {
    var pace = new DrainThrottle(() -> calls, 1_000);

    assertThat(pace.pauseAfter(Duration.ofMillis(50), waiting)).isEqualTo(Duration.ofMillis(pause));
  }

  @ParameterizedTest
  @CsvSource({"0, true", "100, true", "101, false", "9000, false"})
  void a_rest_is_over_when_hardly_anybody_calls(double calls, boolean isCalm) {
    var pace = new DrainThrottle(() -> calls, 1_000);

    assertThat(pace.isCalm()).isEqualTo(isCalm);
  }

  @Test
  void a_pool_with_lines_comes_again_behind_the_others_that_are_due() {
    var turns = new DrainSchedule();
    turns.add(BUSY, 0);
    turns.add(BUSY, 1);
    turns.add(IDLE, 1);

    assertThat(turns.next(5)).contains(BUSY);
    turns.hadLines(BUSY, 5);

    assertThat(turns.next(5)).contains(IDLE);
    assertThat(turns.next(5)).contains(BUSY);
    assertThat(turns.next(5)).isEmpty();
  }

  @Test
  void a_pool_with_few_lines_is_given_a_moment_to_gather_more() {
    var turns = new DrainSchedule();
    turns.add(BUSY, 0);

    assertThat(turns.next(5)).contains(BUSY);
    turns.hadFew(BUSY, 5);

    assertThat(turns.untilNext(5, MOST)).isEqualTo(Duration.ofMillis(50));
    assertThat(turns.next(5 + Duration.ofMillis(50).toNanos())).contains(BUSY);
  }

  @Test
  void a_pool_without_lines_leaves_until_it_is_added_again() {
    var turns = new DrainSchedule();
    turns.add(IDLE, 0);
    turns.next(5);
    turns.hadNone(IDLE);

    assertThat(turns.isEmpty()).isTrue();
    assertThat(turns.untilNext(5, MOST)).isEqualTo(MOST);

    turns.add(IDLE, 6);
    assertThat(turns.next(6)).contains(IDLE);
  }

  @Test
  void a_pool_in_trouble_is_tried_again_every_two_seconds_at_least() {
    var turns = new DrainSchedule();
    turns.add(BUSY, 0);

    for (var round = 0; round < 20; round++) {
      turns.next(Long.MAX_VALUE / 2);
      turns.hadTrouble(BUSY, 0);
    }

    assertThat(turns.untilNext(0, MOST)).isEqualTo(Duration.ofSeconds(2));
  }
}
