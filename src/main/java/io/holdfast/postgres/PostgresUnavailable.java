package io.holdfast.postgres;

import io.holdfast.runtime.DependencyUnavailable;
import java.sql.SQLException;

/// Postgres gave no answer that counts. `definite` tells the two apart that a caller must not mix
/// up: true, nothing was changed; false, COMMIT was sent and its answer was lost, so that only
/// reading can tell.
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
}
