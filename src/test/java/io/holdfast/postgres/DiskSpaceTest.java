package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.LogLines;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A full disk is one line of the log a minute, however many statements meet it.
class DiskSpaceTest {
  private static final SQLException FULL =
      new SQLException("ERROR: could not extend file\n  Hint: Check free disk space.", "53100");

  private final AtomicLong now = new AtomicLong(-5);
  private final DiskSpace disk = new DiskSpace(now::get);
  private final LogLines log = LogLines.of(DiskSpace.class);

  @AfterEach
  void stopListening() {
    log.close();
  }

  @Test
  void many_failures_within_a_minute_are_one_line() {
    for (var i = 0; i < 1_000; i++) {
      disk.adjudicate(FULL);
      pass(Duration.ofMillis(59));
    }

    assertThat(log.warnings()).hasSize(1);
    assertThat(log.warnings().getFirst())
        .contains("disk of Postgres is full", "could not extend file")
        .doesNotContain("\n");
    assertThat(log.hasStackTrace()).isFalse();
  }

  @Test
  void a_disk_that_stays_full_is_another_line_each_minute() {
    for (var minute = 0; minute < 3; minute++) {
      disk.adjudicate(FULL);
      disk.adjudicate(FULL);
      pass(Duration.ofMinutes(1));
    }

    assertThat(log.warnings()).hasSize(3);
  }

  @Test
  void a_disk_that_is_full_again_within_a_minute_is_no_second_line() {
    disk.adjudicate(FULL);
    disk.foundSpace();
    assertThat(disk.isFull()).isFalse();
    disk.adjudicate(FULL);

    assertThat(disk.isFull()).isTrue();
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void other_errors_say_nothing_about_the_disk() {
    disk.adjudicate(new SQLException("too many connections", "53300"));
    disk.adjudicate(new SQLException("no state"));

    assertThat(disk.isFull()).isFalse();
    assertThat(log.warnings()).isEmpty();
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
