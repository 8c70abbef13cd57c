package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// As many calls may be pending as are sent in time, and the limit applies only while calls wait.
class QueueLimitTest {
  private static final int LEAST = 100;
  private static final int MOST = 8_000;
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final long TICK = Duration.ofMillis(25).toNanos();
  private static final boolean SLOW = true;
  private static final boolean PROMPT = false;

  private final QueueLimit limit = new QueueLimit(LEAST, MOST, WAIT);
  private long now = System.nanoTime();
  private long ended;

  @Test
  void a_burst_into_an_idle_service_is_taken_whole() {
    run(10, 0, PROMPT);

    assertThat(limit.isReached(MOST - 1)).isFalse();
    assertThat(limit.isReached(MOST)).isTrue();
  }

  @Test
  void while_calls_wait_long_only_as_many_may_be_pending_as_are_sent_in_time() {
    run(100, 10_000, SLOW);

    assertThat(limit.isReached(2_500)).isFalse();
    assertThat(limit.isReached(3_500)).isTrue();
  }

  @Test
  void the_limit_follows_a_service_that_gets_slower() {
    run(100, 10_000, SLOW);
    run(400, 1_000, SLOW);

    assertThat(limit.isReached(250)).isFalse();
    assertThat(limit.isReached(350)).isTrue();
  }

  @Test
  void however_slow_the_service_is_some_calls_may_be_pending() {
    run(100, 0, SLOW);

    assertThat(limit.isReached(LEAST - 1)).isFalse();
    assertThat(limit.isReached(LEAST)).isTrue();
  }

  @Test
  void once_calls_wait_shortly_again_the_limit_no_longer_applies() {
    run(100, 1_000, SLOW);
    run(1, 1_000, PROMPT);

    assertThat(limit.isReached(MOST - 1)).isFalse();
  }

  @Test
  void a_server_that_stands_still_for_a_moment_is_not_taken_for_a_slow_one() {
    run(100, 10_000, SLOW);
    run(12, 0, SLOW);

    assertThat(limit.isReached(1_500)).isFalse();
  }

  @Test
  void a_third_of_the_longest_wait_is_long() {
    assertThat(limit.isLong(WAIT.toNanos() / 4)).isFalse();
    assertThat(limit.isLong(WAIT.toNanos() / 3)).isTrue();
  }

  @Test
  void a_refusal_says_how_long_the_pending_calls_take() {
    run(100, 1_000, SLOW);

    assertThat(limit.retryAfter(5_000)).isBetween(Duration.ofMillis(4_800), Duration.ofSeconds(6));
    assertThat(limit.retryAfter(1)).isEqualTo(Duration.ofSeconds(1));
    assertThat(limit.retryAfter(1_000_000)).isEqualTo(Duration.ofSeconds(30));
  }

  private void run(int ticks, int endedPerSecond, boolean isSlow) {
    for (var i = 0; i < ticks; i++) {
      now += TICK;
      ended += endedPerSecond * TICK / Duration.ofSeconds(1).toNanos();
      limit.update(now, ended, isSlow);
    }
  }
}
