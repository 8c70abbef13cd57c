package io.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.runtime.HealthProbe.State;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// A server that comes and goes does not fill the log.
class StateLogTest {
  private final AtomicLong now = new AtomicLong(-5);
  private final StateLog log = new StateLog(now::get);

  @Test
  void the_first_state_is_not_a_change() {
    assertThat(log.change(State.DOWN)).isNull();
    assertThat(log.change(State.UP)).isEqualTo(State.DOWN);
  }

  @Test
  void an_outage_and_its_end_are_logged_at_once() {
    log.change(State.UP);

    assertThat(log.change(State.DOWN)).isEqualTo(State.UP);
    assertThat(log.change(State.DOWN)).isNull();
    assertThat(log.change(State.UP)).isEqualTo(State.DOWN);
    assertThat(log.change(State.UP)).isNull();
  }

  @Test
  void a_server_that_comes_and_goes_is_logged_once_a_minute() {
    log.change(State.UP);
    var lines = 0;
    for (var second = 0; second < 120; second++) {
      lines += log.change(second % 2 == 0 ? State.DISK_FULL : State.UP) == null ? 0 : 1;
      now.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    assertThat(lines).as("two outages and their ends").isEqualTo(4);
  }

  @Test
  void an_outage_that_lasts_is_logged_after_the_minute_of_the_last_one() {
    log.change(State.UP);
    log.change(State.DOWN);
    log.change(State.UP);

    assertThat(log.change(State.DOWN)).isNull();
    now.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(log.change(State.DOWN)).isEqualTo(State.UP);
    assertThat(log.change(State.UP)).isEqualTo(State.DOWN);
  }
}
