package io.holdfast.postgres;

import io.holdfast.runtime.DependencyUnavailable;
import java.sql.SQLException;

/// Postgres did not answer. If `definite` is true, nothing was changed. If it is false, COMMIT was
/// sent and its response was lost, so only a read can show the result.
public final class PostgresUnavailable extends RuntimeException implements DependencyUnavailable {
  private static final long serialVersionUID = 1L;

  private final boolean definite;

  private PostgresUnavailable(boolean definite, SQLException cause) {
    super(cause.getMessage(), cause);
    this.definite = definite;
  }

  public static PostgresUnavailable nothingChanged(SQLException cause) {
    return new PostgresUnavailable(true, cause);
  }

  static PostgresUnavailable perhapsChanged(SQLException cause) {
    return new PostgresUnavailable(false, cause);
  }

  @Override
  public boolean isDefinite() {
    return definite;
  }

  /// `DiskSpace` logs a full disk.
  @Override
  public boolean isLogged() {
    return getCause() instanceof SQLException e && DiskSpace.isMissing(e);
  }
}
