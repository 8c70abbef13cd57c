package io.holdfast.postgres;

import com.zaxxer.hikari.SQLExceptionOverride;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the disk of Postgres is full, as far as the statements of this instance have met it. The
/// connection pool shows it each error, so a full disk is logged here, once a minute, and by nobody
/// else.
@Singleton
final class DiskSpace implements SQLExceptionOverride {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);
  private static final String DISK_FULL = "53100";
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier clock;
  private boolean isFull;
  private boolean isLogged;
  private long loggedAt;

  DiskSpace() {
    this(System::nanoTime);
  }

  DiskSpace(LongSupplier clock) {
    this.clock = clock;
  }

  /// Whether the statement failed for want of space on the disk of Postgres.
  static boolean isMissing(SQLException e) {
    return DISK_FULL.equals(e.getSQLState());
  }

  @java.lang.Override
  public SQLExceptionOverride.Override adjudicate(SQLException e) {
    if (isMissing(e)) {
      met(e);
    }
    return SQLExceptionOverride.Override.CONTINUE_EVICT;
  }

  synchronized boolean isFull() {
    return isFull;
  }

  synchronized void foundSpace() {
    isFull = false;
  }

  private synchronized void met(SQLException e) {
    isFull = true;
    var now = clock.getAsLong();
    if (!isLogged || now - loggedAt >= LOG_PAUSE_NANOS) {
      isLogged = true;
      loggedAt = now;
      LOG.error(
          "The disk of Postgres is full, so nothing can be sold and no journal drained; free some"
              + " space, the service goes on by itself ({})",
          String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }
}
