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
  void pauses_grow_and_then_there_is_an_end() {
    var schedule = new RetrySchedule(PAUSES, () -> 0);

    assertThat(schedule.after(1, Optional.empty())).contains(Duration.ofSeconds(5));
    assertThat(schedule.after(2, Optional.empty())).contains(Duration.ofMinutes(5));
    assertThat(schedule.after(3, Optional.empty())).isEmpty();
  }

  @Test
  void chance_makes_them_longer_by_a_fifth_at_most() {
    assertThat(new RetrySchedule(PAUSES, () -> 1).after(1, Optional.empty()))
        .contains(Duration.ofSeconds(6));
  }

  @Test
  void a_receiver_can_ask_for_more_time_and_not_for_less() {
    var schedule = new RetrySchedule(PAUSES, () -> 0);

    assertThat(schedule.after(1, Optional.of(Duration.ofSeconds(60))))
        .contains(Duration.ofSeconds(60));
    assertThat(schedule.after(1, Optional.of(Duration.ofSeconds(1))))
        .contains(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({"120,120", "'Fri, 1 May 2026 12:01:00 GMT',60", "999999999,86400"})
  void retry_after_is_seconds_or_a_date_and_a_day_at_most(String value, long seconds) {
    assertThat(RetryAfterHeader.read(value, NOON)).contains(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-5", "0", "Thu, 30 Apr 2026 12:00:00 GMT"})
  void what_makes_no_sense_does_not_count(String value) {
    assertThat(RetryAfterHeader.read(value, NOON)).isEmpty();
  }
}
