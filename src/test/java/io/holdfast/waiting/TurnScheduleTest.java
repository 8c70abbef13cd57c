package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.PoolName;
import io.holdfast.waiting.TurnSchedule.Turn;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// When waiting rooms are looked at.
class TurnScheduleTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final PoolName HALL = new PoolName("hall");
  private static final PoolName ARENA = new PoolName("arena");

  private final TurnSchedule schedule = new TurnSchedule();

  @Test
  void a_new_room_is_due_at_once_and_an_empty_one_after_its_pause() {
    assertThat(schedule.left(HALL)).isZero();

    turn(HALL, 0);

    assertThat(schedule.left(HALL)).isGreaterThan(LONG.dividedBy(2));
    assertThat(schedule.left(ARENA)).isZero();
  }

  @Test
  void the_first_who_joins_an_empty_room_makes_it_due() {
    turn(HALL, 0);

    assertThat(schedule.joined(HALL)).isTrue();
    assertThat(schedule.joined(HALL)).as("it is due already").isFalse();

    assertThat(schedule.left(HALL)).isZero();
    assertThat(schedule.waiting()).isEqualTo(1);
  }

  @Test
  void who_joins_during_a_turn_that_sees_nobody_is_seen_by_another_turn_at_once() {
    turn(HALL, 5);
    schedule.begin(HALL);
    schedule.joined(HALL); // after the turn has read the queue

    schedule.end(HALL, new Turn(0, LONG));

    assertThat(schedule.left(HALL)).isZero();
  }

  @Test
  void a_room_with_waiting_tickets_keeps_its_pace() {
    schedule.begin(HALL);
    schedule.joined(HALL);
    schedule.end(HALL, new Turn(3, LONG));

    assertThat(schedule.joined(HALL)).isFalse();

    assertThat(schedule.left(HALL)).isGreaterThan(LONG.dividedBy(2));
    assertThat(schedule.waiting()).isEqualTo(3);
  }

  @Test
  void a_turn_that_failed_is_repeated_after_a_pause_that_grows_up_to_a_bound() {
    schedule.begin(HALL);
    assertThat(schedule.left(HALL)).isBetween(Duration.ofMillis(1), TurnSchedule.BACKOFF_MIN);
    schedule.joined(HALL);
    assertThat(schedule.left(HALL)).as("joining does not end the back-off").isPositive();

    for (var failure = 0; failure < 20; failure++) {
      schedule.begin(HALL);
    }

    assertThat(schedule.left(HALL))
        .isBetween(TurnSchedule.BACKOFF_MAX.dividedBy(2), TurnSchedule.BACKOFF_MAX);
    turn(HALL, 0);
    schedule.begin(HALL);
    assertThat(schedule.left(HALL)).isLessThanOrEqualTo(TurnSchedule.BACKOFF_MIN);
  }

  private void turn(PoolName pool, long waiting) {
    schedule.begin(pool);
    schedule.end(pool, new Turn(waiting, LONG));
  }
}
