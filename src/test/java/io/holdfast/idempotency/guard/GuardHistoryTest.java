package io.holdfast.idempotency.guard;

import static io.holdfast.idempotency.guard.GuardResult.NOT_SEEN;
import static io.holdfast.idempotency.guard.GuardResult.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.idempotency.guard.GuardHistory.Call;
import io.holdfast.testing.Requirement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The linearizability check rejects wrong histories.
@Requirement("DP-EC-11")
class GuardHistoryTest {
  private static final Instant NOW = MovedClock.START;

  @Test
  void a_finished_record_is_seen_by_every_later_check() {
    var record = new Call(0, 1, NOW, null);

    assertThat(isLinearizable(record, new Call(2, 3, NOW, SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(2, 3, NOW, NOT_SEEN))).isFalse();
  }

  @Test
  void overlapping_calls_may_take_effect_in_either_order() {
    var record = new Call(0, 5, NOW, null);

    assertThat(isLinearizable(record, new Call(2, 3, NOW, SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(2, 3, NOW, NOT_SEEN))).isTrue();
    assertThat(isLinearizable(record, new Call(1, 2, NOW, SEEN), new Call(3, 4, NOW, NOT_SEEN)))
        .isFalse();
  }

  @Test
  void an_unrecorded_or_elapsed_identity_is_not_seen() {
    assertThat(isLinearizable(new Call(0, 1, NOW, SEEN))).isFalse();
    assertThat(isLinearizable(new Call(0, 1, NOW, null), new Call(2, 3, NOW.plusMillis(2), SEEN)))
        .isFalse();
  }

  private static boolean isLinearizable(Call... calls) {
    return new GuardHistory(List.of(calls)).isLinearizable();
  }
}
