package io.holdfast.postgres;

import java.sql.SQLException;

/// Postgres gave no answer that counts. `definite` tells the two apart that a caller must not mix
/// up: true, nothing was committed; false, it may have been, and only asking again under the same
/// token can tell.
public final class PostgresUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean definite;

  PostgresUnavailable(boolean definite, SQLException cause) {
    super(cause.getMessage(), cause);
    this.definite = definite;
  }

  public boolean isDefinite() {
    return definite;
  }
}
