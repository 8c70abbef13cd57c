package io.holdfast.events.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// When an event is tried again.
class RetryScheduleTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofMinutes(5));

  @Test
  void the_pauses_are_the_configured_ones_and_end_after_the_last() {
    var schedule = new RetrySchedule(PAUSES, () -> 0);

    assertThat(schedule.after(1, Optional.empty())).contains(Duration.ofSeconds(5));
    assertThat(schedule.after(2, Optional.empty())).contains(Duration.ofMinutes(5));
    assertThat(schedule.after(3, Optional.empty())).isEmpty();
  }

  @Test
  void jitter_lengthens_a_pause_by_at_most_a_fifth() {
    assertThat(new RetrySchedule(PAUSES, () -> 1).after(1, Optional.empty()))
        .contains(Duration.ofSeconds(6));
  }

  @Test
  void retry_after_can_lengthen_a_pause_but_not_shorten_it() {
    var schedule = new RetrySchedule(PAUSES, () -> 0);

    assertThat(schedule.after(1, Optional.of(Duration.ofSeconds(60))))
        .contains(Duration.ofSeconds(60));
    assertThat(schedule.after(1, Optional.of(Duration.ofSeconds(1))))
        .contains(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({"120,120", "'Fri, 1 May 2026 12:01:00 GMT',60", "999999999,86400"})
  void retry_after_is_seconds_or_a_date_and_at_most_a_day(String value, long seconds) {
    assertThat(RetrySchedule.parseRetryAfter(value, NOON)).contains(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-5", "0", "Thu, 30 Apr 2026 12:00:00 GMT"})
  void an_invalid_retry_after_is_ignored(String value) {
    assertThat(RetrySchedule.parseRetryAfter(value, NOON)).isEmpty();
  }
}
