package io.holdfast.idempotency;

import static io.holdfast.idempotency.GuardResult.NOT_SEEN;
import static io.holdfast.idempotency.GuardResult.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.idempotency.GuardHistory.Call;
import io.holdfast.testing.Requirement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The judge of histories can say no.
@Requirement("DP-EC-11")
class GuardHistoryTest {
  private static final Instant NOW = MovedClock.START;

  @Test
  void a_record_that_had_ended_is_seen_by_whoever_asks_later() {
    var record = new Call(0, 1, NOW, null);

    assertThat(isLinearizable(record, new Call(2, 3, NOW, SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(2, 3, NOW, NOT_SEEN))).isFalse();
  }

  @Test
  void of_calls_that_overlap_either_may_be_first() {
    var record = new Call(0, 5, NOW, null);

    assertThat(isLinearizable(record, new Call(2, 3, NOW, SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(2, 3, NOW, NOT_SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(1, 2, NOW, SEEN), new Call(3, 4, NOW, NOT_SEEN)))
        .isFalse();
  }

  @Test
  void nobody_sees_what_was_not_recorded_or_has_elapsed() {
    assertThat(isLinearizable(new Call(0, 1, NOW, SEEN))).isFalse();
    assertThat(isLinearizable(new Call(0, 1, NOW, null), new Call(2, 3, NOW.plusMillis(2), SEEN)))
        .isFalse();
  }

  private static boolean isLinearizable(Call... calls) {
    return new GuardHistory(List.of(calls)).isLinearizable();
  }
}
