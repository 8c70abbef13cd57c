package io.holdfast.postgres;

import io.holdfast.AtStart;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes answers whose window has elapsed, a bounded number at a time. Several instances may do
/// so at once: each leaves alone what another one holds.
@Singleton
final class RequestResultsTidying implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(RequestResultsTidying.class);

  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final int BATCH = 1_000;

  private static final String DELETE =
      """
      DELETE FROM request_result WHERE ctid = ANY (ARRAY (
             SELECT ctid FROM request_result WHERE window_end <= clock_timestamp()
              ORDER BY window_end LIMIT ? FOR UPDATE SKIP LOCKED))
      """;

  private final PostgresLink link;
  private final TaskScheduler scheduler;

  RequestResultsTidying(
      PostgresLink link, @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.link = link;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, this::tidy);
  }

  /// Returns how many answers were deleted; what is left waits for the next time.
  int tidy() {
    try (var connection = link.connection();
        var delete = connection.prepareStatement(DELETE)) {
      delete.setInt(1, BATCH);
      return delete.executeUpdate();
    } catch (SQLException e) {
      LOG.debug("Elapsed answers stay until Postgres is back", e);
      return 0;
    }
  }
}
