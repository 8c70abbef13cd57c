package io.holdfast.commitment.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Assuming pays as long as it is right.
class OptimismBackoffTest {
  private final OptimismBackoff backoff = new OptimismBackoff(Duration.ofDays(1));

  @Test
  void nothing_is_assumed_of_a_postgres_that_has_not_answered_yet_and_all_of_one_that_has() {
    var hasty = new OptimismBackoff(OptimismBackoff.SILENCE_MAX);

    assertThat(hasty.allowsOptimism()).isFalse();
    hasty.answered();
    assertThat(hasty.allowsOptimism()).isTrue();
  }

  @Test
  void each_disappointment_costs_twice_as_many_looks_as_the_one_before() {
    backoff.failed();
    assertThat(looks()).isEqualTo(1);
    backoff.failed();
    assertThat(looks()).isEqualTo(3);
    backoff.failed();
    assertThat(looks()).isEqualTo(7);
  }

  @Test
  void there_is_an_end_to_it() {
    IntStream.range(0, 100).forEach(_ -> backoff.failed());

    assertThat(looks()).isEqualTo(63);
  }

  @Test
  void one_assumption_that_holds_restores_all_trust() {
    IntStream.range(0, 5).forEach(_ -> backoff.failed());
    looks();

    backoff.succeeded();

    backoff.failed();
    assertThat(looks()).isEqualTo(1);
  }

  /// Until it is given again.
  private int looks() {
    var looks = 0;
    while (!backoff.allowsOptimism()) {
      looks++;
    }
    return looks;
  }
}
