package io.holdfast.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The outcome of a sale is known before its time; comparisons ignore only the time.
class OpenTimeTest {
  private static final String SALE =
      "CONFIRMED\tCONFIRMED\t7\t" + OutcomeCodec.OPEN_TIME + "\t\t1\tA-1";

  @Test
  void an_outcome_is_the_same_at_whatever_time() {
    assertThat(OutcomeCodec.isSame(SALE.replace(OutcomeCodec.OPEN_TIME, "1763390000000"), SALE))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CONFIRMED\tCONFIRMED\t7\t1763390000000\t\t3\tA-1", // another pin
        "CONFIRMED\tCONFIRMED\t8\t1763390000000\t\t1\tA-1", // another hold
        "CONFIRMED\tCONFIRMED\t7\t\t\t1\tA-1", // no time at all
        "CONFIRMED\tCONFIRMED\t7\t17\t33\t\t1\tA-1", // more than a time
        "CONFIRMED\tCONFIRMED\t7\t",
        "NOT_HELD\t"
      })
  void outcomes_that_differ_in_more_than_the_time_are_different(String stored) {
    assertThat(OutcomeCodec.isSame(stored, SALE)).isFalse();
  }

  @Test
  void a_refusal_has_no_time_in_it() {
    assertThat(OutcomeCodec.isSame("NOT_HELD\t", "NOT_HELD\t")).isTrue();
    assertThat(OutcomeCodec.isSame("NOT_HELD\t1", "NOT_HELD\t")).isFalse();
  }
}
