package io.holdfast.commitment.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The optimistic path is used while it succeeds.
class OptimismBackoffTest {
  private final OptimismBackoff backoff = new OptimismBackoff(Duration.ofDays(1));

  @Test
  void the_optimistic_path_is_off_until_postgres_has_answered() {
    var hasty = new OptimismBackoff(OptimismBackoff.SILENCE_MAX);

    assertThat(hasty.allowsOptimism()).isFalse();
    hasty.answered();
    assertThat(hasty.allowsOptimism()).isTrue();
  }

  @Test
  void each_failure_doubles_the_number_of_careful_transactions() {
    backoff.failed();
    assertThat(carefulTransactions()).isEqualTo(1);
    backoff.failed();
    assertThat(carefulTransactions()).isEqualTo(3);
    backoff.failed();
    assertThat(carefulTransactions()).isEqualTo(7);
  }

  @Test
  void the_backoff_is_bounded() {
    IntStream.range(0, 100).forEach(_ -> backoff.failed());

    assertThat(carefulTransactions()).isEqualTo(63);
  }

  @Test
  void one_success_resets_the_backoff() {
    IntStream.range(0, 5).forEach(_ -> backoff.failed());
    carefulTransactions();

    backoff.succeeded();

    backoff.failed();
    assertThat(carefulTransactions()).isEqualTo(1);
  }

  /// Counts the transactions until the optimistic path is allowed again.
  private int carefulTransactions() {
    var count = 0;
    while (!backoff.allowsOptimism()) {
      count++;
    }
    return count;
  }
}
