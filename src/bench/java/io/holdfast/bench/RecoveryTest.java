package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.load.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private static final Duration FLOOD = Duration.ofSeconds(10);
  private static final long SOON = Duration.ofMillis(5).toNanos();
  private static final long LATE = Duration.ofMillis(900).toNanos();

  private final Recovery recovery = new Recovery(FLOOD);

  @Test
  void the_service_is_back_with_the_first_of_three_normal_windows() {
    serve(0, 1_000, Answer.SHED, SOON);
    serve(1_000, 1_500, Answer.GOOD, LATE);
    serve(1_500, 6_000, Answer.GOOD, SOON);

    assertThat(recovery.seconds()).isEqualTo(1.5);
  }

  @Test
  void a_single_normal_window_is_not_enough() {
    serve(0, 250, Answer.GOOD, SOON);
    serve(250, 500, Answer.UNKNOWN, SOON);
    serve(500, 6_000, Answer.GOOD, SOON);

    assertThat(recovery.seconds()).isEqualTo(0.5);
  }

  @Test
  void a_service_that_does_not_come_back_takes_all_the_time() {
    serve(0, 6_000, Answer.SHED, SOON);

    assertThat(recovery.seconds()).isEqualTo(Recovery.WATCHED.toSeconds());
  }

  /// A request each millisecond.
  private void serve(long fromMillis, long untilMillis, Answer answer, long latency) {
    for (var at = fromMillis; at < untilMillis; at++) {
      var due = FLOOD.plusMillis(at).toNanos();
      recovery.answered(answer, due, due + latency);
    }
  }
}
