package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.QueuePosition;
import io.holdfast.waiting.TicketView.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// When a ticket is looked at, with times since its first look.
class LookScheduleTest {
  private static final Duration GRACE = Duration.ofSeconds(120);
  private static final String OLD = "old";
  private static final String NEW = "new";

  @Test
  void a_ticket_at_the_front_hears_sooner_of_a_change_than_one_far_behind() {
    var front = seen(GRACE, at(LookSchedule.FRONT));
    var behind = seen(GRACE, at(LookSchedule.FRONT + 1));

    assertThat(front.isDue(NEW, millis(499))).isFalse();
    assertThat(front.isDue(NEW, millis(500))).isTrue();
    assertThat(behind.isDue(NEW, millis(2_999))).isFalse();
    assertThat(behind.isDue(NEW, millis(3_000))).isTrue();
  }

  @Test
  void a_ticket_is_looked_at_without_a_change_only_for_its_sign_of_life() {
    var schedule = seen(GRACE, at(1));

    assertThat(schedule.isDue(OLD, millis(29_999))).isFalse();
    assertThat(schedule.isDue(OLD, millis(30_000))).isTrue();
  }

  @Test
  void a_short_grace_shortens_all_pauses() {
    var schedule = seen(Duration.ofSeconds(2), at(5_000));

    assertThat(schedule.isDue(OLD, millis(500))).isTrue();
    assertThat(schedule.isDue(NEW, millis(500))).isTrue();
  }

  @Test
  void a_look_that_failed_is_repeated_with_growing_pauses_until_one_succeeds() {
    var schedule = seen(GRACE, at(1));

    schedule.begin(millis(1_000));
    assertThat(schedule.isDue(NEW, millis(1_249))).isFalse();
    assertThat(schedule.isDue(NEW, millis(1_250))).isTrue();
    schedule.begin(millis(1_250));
    assertThat(schedule.isDue(NEW, millis(1_749))).isFalse();
    assertThat(schedule.isDue(NEW, millis(1_750))).isTrue();
    schedule.begin(millis(1_750));
    schedule.shown(at(1), NEW, millis(1_750));
    assertThat(schedule.isDue(NEW, millis(10_000))).isFalse();
  }

  @Test
  void the_pause_after_failures_is_bounded() {
    var schedule = seen(GRACE, at(1));

    for (var i = 0; i < 100; i++) {
      schedule.begin(0);
    }

    assertThat(schedule.isDue(NEW, millis(2_000))).isTrue();
  }

  @Test
  void a_ticket_that_has_ended_is_not_looked_at_again() {
    var schedule = seen(GRACE, TicketView.ended("t", State.LEFT, false, null));

    assertThat(schedule.isDue(NEW, GRACE.toNanos())).isFalse();
  }

  /// Seen at time 0 with the state `OLD`.
  private static LookSchedule seen(Duration grace, TicketView view) {
    var schedule = new LookSchedule(grace, view, 0);
    schedule.shown(view, OLD, 0);
    return schedule;
  }

  private static TicketView at(long position) {
    return TicketView.waiting("t", State.WAITING, false, new QueuePosition(position, null, null));
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
